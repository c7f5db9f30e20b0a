package io.penstock.cache;

import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Form;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the form in which loaded values are kept, while they come.
 *
 * <p>Some of the loads are measured. A draw tells how many are left of its epoch, so these figures tell whether the free
 * room of the tiers is enough for all that will be loaded. If it is, values stay plain, and nothing else is done. If it is
 * not, some values are packed and unpacked as a trial, and some origins encoded. {@link FormPlan} tells for each kind (a
 * part of the data and a size class) which share of it is kept in which form. A kind that it does not hold at all is left
 * out for the others.
 *
 * <p>What is held stays as it is. The plan is made anew as values come, with the room and the loads that are left then. So
 * an error of the first figures is small. What another process adds to a shared tier meanwhile is not counted: a tier
 * refuses what it has no room for. Threads: any number.
 */
final class FormChooser<R> {

    private static final int SHORTEST = 4 << 10; // to unpack less takes longer than most loads
    private static final int BESIDE = 64; // bytes that a tier keeps beside a value, about
    private static final int MEASURED = 17; // one of 17 loads: a prime, or a pattern of the order might hide a kind
    private static final int TRIALS = 16;
    private static final double HELD_AT_LEAST = 0.01;

    private final Cache cache;
    private final Form form;
    private final MeasuredLoader<R, ?> loader;
    private final IntSupplier inFlight;
    private final long before; // bytes that the slowest tier held
    private final AtomicLong loads = new AtomicLong();
    private final AtomicLong kept = new AtomicLong();
    private volatile Map<Integer, Shares> plan = Map.of();

    private final ReentrantLock measuring = new ReentrantLock();
    private final Map<Integer, Kind> kinds = new HashMap<>(); // these under the lock
    private int window;
    private double samples; // of all kinds, and their bytes
    private double bytes;
    private long epoch = -1;
    private long draws;
    private long loadsBefore;

    /** A value's bytes in a form, which is empty for the plain one. */
    record Kept(Encoded bytes, String form) {}

    /** The shares of a kind's samples that are held packed, as origins, and in any form. */
    private record Shares(double packed, double origins, double held) {}

    /** What was measured of one kind. */
    private static final class Kind {
        private long samples;
        private double bytes;
        private int trials;
        private double packedBytes;
        private double packedNanos;
        private int origins;
        private double originBytes;
        private final LateCost late = new LateCost();
        private MeasuredLoader.Cost loading = new MeasuredLoader.Cost(0, 0);

        FormPlan.Kind of(double count) {
            FormPlan.Held plain = new FormPlan.Held(bytes / samples + BESIDE, 0);
            List<FormPlan.Held> forms = new ArrayList<>(List.of(plain));
            if (trials > 0) {
                forms.add(new FormPlan.Held(packedBytes + BESIDE, packedNanos));
            }
            if (origins > 0) {
                forms.add(new FormPlan.Held(originBytes / origins + BESIDE, loading.processor()));
            }
            return new FormPlan.Kind(count, loading, forms);
        }

        /** @param each in the order of the forms */
        Shares shares(double... each) {
            double held = Arrays.stream(each).sum();
            return new Shares(trials > 0 ? each[1] : 0, origins > 0 ? each[each.length - 1] : 0, held);
        }

        /** Moving means: the first times are those of code that is not compiled. */
        void tried(int length, long nanos) {
            double weight = trials++ == 0 ? 1 : 0.25;
            packedBytes += weight * (length - packedBytes);
            packedNanos += weight * (nanos - packedNanos);
        }
    }

    /**
     * What late loads take. The first ones are those of code that is not compiled, and may take twenty times as long: by
     * the mean of all, a decoder would look slow until the room is filled.
     */
    private static final class LateCost {

        private static final int FEW = 32;

        private MeasuredLoader.Spent older = MeasuredLoader.Spent.NOTHING;
        private MeasuredLoader.Spent newer = MeasuredLoader.Spent.NOTHING; // with at least twice as many loads
        private MeasuredLoader.@Nullable Cost last;

        MeasuredLoader.Cost of(MeasuredLoader.Spent now) {
            if (now.loads() < newer.loads()) { // of the next epoch
                older = MeasuredLoader.Spent.NOTHING;
                newer = older;
            }
            MeasuredLoader.Spent from = now.loads() - newer.loads() < FEW ? older : newer;
            MeasuredLoader.Cost cost = last != null && now.loads() - from.loads() < FEW ? last : now.since(from);
            last = cost;
            if (now.loads() >= 2 * newer.loads()) {
                older = newer;
                newer = now;
            }
            return cost;
        }
    }

    /** One for values of a codec; null where none is kept in another form. */
    @SuppressWarnings("unchecked") // a loader is measured by its own requests
    static <R> @Nullable FormChooser<R> of(
            Cache cache, Codec<?> codec, Lookup.Loader<R, ?> loader, IntSupplier inFlight) {
        return Lookup.mayUnpack(cache, codec) && loader instanceof MeasuredLoader<?, ?> measured
                ? new FormChooser<>(cache, cache.form(), (MeasuredLoader<R, ?>) measured, inFlight)
                : null;
    }

    /** @param inFlight how many loads are under way */
    FormChooser(Cache cache, Form form, MeasuredLoader<R, ?> loader, IntSupplier inFlight) {
        this.cache = cache;
        this.form = form;
        this.loader = loader;
        this.inFlight = inFlight;
        TierStatistics slowest = cache.levels[cache.levels.length - 1].statistics();
        this.before = slowest == null ? 0 : slowest.bytes();
    }

    /**
     * A loaded value as it is to be kept; null if the room is kept free for others.
     * @param origin what the value is made of; null if that is not to be kept
     */
    @Nullable Kept kept(SampleKey key, Encoded plain, @Nullable Supplier<Encoded> origin, R request) {
        Kept chosen = switch (cache.formUse) {
            case PLAIN -> plain(plain);
            case PACKED -> packed(plain);
            case FILE -> origin == null ? plain(plain) : new Kept(origin.get(), WithOrigin.ID);
            case AUTO -> chosen(key, plain, origin, request);
        };
        kept.addAndGet(chosen == null ? 0 : chosen.bytes.length() + BESIDE);
        return chosen;
    }

    private @Nullable Kept chosen(SampleKey key, Encoded plain, @Nullable Supplier<Encoded> origin, R request) {
        if (loads.incrementAndGet() % MEASURED == 0 && measuring.tryLock()) {
            try {
                measure(plain, origin, request);
            } finally {
                measuring.unlock();
            }
        }
        Map<Integer, Shares> now = plan;
        Shares shares = now.isEmpty() ? null : now.get(kind(plain, loader.drawn(request)));
        if (shares == null) {
            return plain(plain);
        }
        if (shares.held < HELD_AT_LEAST) {
            return null;
        }
        double place = shares.held * (key.low() >>> 1) / Long.MAX_VALUE; // a key is a hash
        if (place < shares.packed) {
            return packed(plain);
        }
        return origin != null && place < shares.packed + shares.origins
                ? new Kept(origin.get(), WithOrigin.ID)
                : plain(plain);
    }

    static Kept plain(Encoded plain) {
        return new Kept(plain, "");
    }

    private Kept packed(Encoded plain) {
        try {
            Encoded packed = plain.length() < SHORTEST ? null : form.pack(plain);
            return packed == null ? plain(plain) : new Kept(packed, form.id());
        } catch (IllegalArgumentException e) { // of a schema that encodes in a way of its own
            return plain(plain);
        }
    }

    private static int kind(Encoded plain, MeasuredLoader.Drawn drawn) {
        return drawn.part() * Integer.SIZE + Integer.numberOfLeadingZeros(plain.length());
    }

    private void measure(Encoded plain, @Nullable Supplier<Encoded> origin, R request) {
        MeasuredLoader.Drawn drawn = loader.drawn(request);
        if (drawn.epoch() > epoch) {
            epoch = drawn.epoch();
            draws = drawn.left() + 1;
            loadsBefore = loads.get() - 1;
        }
        window = Math.max(window, inFlight.getAsInt());
        Kind kind = kinds.computeIfAbsent(kind(plain, drawn), number -> new Kind());
        kind.samples++;
        kind.bytes += plain.length();
        samples++;
        bytes += plain.length();
        double missing = (double) (loads.get() - loadsBefore) / Math.max(1, draws - drawn.left());
        double left = drawn.left() * Math.min(1, missing);
        double room = room();
        if (left * (bytes / samples + BESIDE) <= room) {
            plan = Map.of();
            return;
        }
        kind.loading = kind.late.of(loader.spent(request));
        if (kind.samples <= TRIALS || kind.samples % TRIALS == 0) {
            Encoded packed = packed(plain).bytes;
            if (packed != plain) {
                ByteBuffer packedBytes = packed.joined();
                long started = System.nanoTime();
                form.unpack(packedBytes);
                kind.tried(packed.length(), System.nanoTime() - started);
            }
            if (origin != null) {
                kind.origins++;
                kind.originBytes += origin.get().length();
            }
        }
        plan = plan(left / samples, room);
    }

    /** @param times how many samples stand for one that was measured */
    private Map<Integer, Shares> plan(double times, double room) {
        List<Map.Entry<Integer, Kind>> all = List.copyOf(kinds.entrySet());
        List<FormPlan.Kind> counted = all.stream()
                .map(Map.Entry::getValue)
                .map(kind -> kind.of(kind.samples * times))
                .toList();
        int processors = Runtime.getRuntime().availableProcessors();
        double[][] shares = new FormPlan(counted, room, processors, Math.max(1, window)).best();
        Map<Integer, Shares> next = new HashMap<>();
        for (int i = 0; i < shares.length; i++) {
            next.put(all.get(i).getKey(), all.get(i).getValue().shares(shares[i]));
        }
        return next;
    }

    /**
     * What all tiers have free: nothing is held twice while something is held nowhere. Counted here, since tiers count the
     * whole segment or slab that they write to.
     */
    private double room() {
        double capacity = 0;
        for (Level level : cache.levels) {
            TierStatistics now = level.statistics();
            if (now == null || now.capacity() <= 0 || level.eviction != Tier.Eviction.NONE) {
                return Double.MAX_VALUE; // it takes what comes
            }
            capacity += now.capacity();
        }
        return Math.max(0, capacity - before - kept.get());
    }
}
