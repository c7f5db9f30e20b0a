package io.penstock.cache.slot;

import io.penstock.cache.SampleKey;
import io.penstock.cache.slot.Members.Membership;
import io.penstock.internal.AccessFaults;
import io.penstock.internal.Notice;
import io.penstock.tensor.Encoded;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots of a file as one user sees them, who goes by certain keys. Any number of threads and processes at once.
 *
 * <p>A slot is a word and a key beside the bytes. The word says EMPTY, SET and how long, or whose it is: WRITING, or
 * CHECKING whether a stale sample may be overwritten. A slot goes from EMPTY to WRITING by compare-and-set, so it has
 * one writer; the bytes and the key are written, then SET is stored with release. A reader that reads SET with acquire,
 * and the key it expects, sees all of the bytes.
 *
 * <p>No view ever changes under its reader, although readers are not counted: a slot is written to only while no view
 * of it can exist. An EMPTY slot has none. One that a dead process left in WRITING has none either, since it was EMPTY
 * or checked before. Views of a SET slot are held only by users whose keys fit it, and these are {@link Members} until
 * the last of their views is unreachable. So a writer that finds it stale first makes it CHECKING, which hides it, and
 * then looks for a member with other keys than its own. A reader that joins later finds nothing, and one that joined
 * earlier is seen: stores and loads of both are volatile, so their order is the same for all. If there is such a
 * member, the slot stays as it was.
 */
final class SlotView {

    private static final Logger LOG = LoggerFactory.getLogger(SlotView.class);

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int HIGH = 8;
    private static final int LOW = 16;

    private static final long EMPTY = 0;
    private static final long WRITING = 1;
    private static final long SET = 2;
    private static final long CHECKING = 3;
    private static final long STATE = 3;
    private static final int LENGTH_SHIFT = 2;
    private static final int MEMBER_SHIFT = 2;
    private static final int MEMBER_BITS = 14;
    private static final long OTHERS_STAY_NANOS = 100_000_000;
    private static final int TURN_SHIFT = MEMBER_SHIFT + MEMBER_BITS;

    private final SlotFile file;
    private final SlotKeys keys;
    private final Cleaner cleaner = Cleaner.create();
    private final ReentrantLock attaching = new ReentrantLock();
    private volatile @Nullable Attached attached;
    private volatile boolean closed;
    private volatile Count count = new Count(-1, 0);

    /** When others were last seen, or 0. */
    private volatile long othersSeen;

    private final AccessFaults faults = new AccessFaults();
    private final LongAdder failed = new LongAdder();

    @SuppressWarnings("UnusedVariable") // written only, or the compiler would leave the access out
    private byte touched;

    private record Count(long changes, long samples) {}

    /** The outcome of a put. */
    enum Outcome {
        /** The slot holds this sample, by this or an earlier put. */
        HELD,
        /** Another user is writing it now. */
        BUSY,
        /** It holds another sample, of which views may exist. */
        REFUSED
    }

    /** One's view of one generation. */
    private record Attached(
            long generation,
            MappedEntries slots,
            MappedEntries samples,
            Membership membership,
            SampleKey id,
            long salt) {}

    SlotView(SlotFile file, SlotKeys keys) {
        this.file = file;
        this.keys = keys;
    }

    private @Nullable Attached attached() {
        Attached now = attached;
        if (closed) {
            return null;
        }
        return now != null && now.generation == file.generation() ? now : attach();
    }

    private @Nullable Attached attach() {
        attaching.lock();
        try {
            Attached now = attached;
            long generation = file.generation();
            if (closed || now != null && now.generation == generation) {
                return closed ? null : now;
            }
            SampleKey id = keys.id().with(generation);
            MappedEntries samples = file.samples();
            Membership membership = file.join(id);
            leaveWhenUnreachable(samples.roots(), membership);
            long salt = generation * 0x9E3779B97F4A7C15L;
            now = new Attached(generation, file.slots(), samples, membership, id, salt);
            attached = now;
            return now;
        } finally {
            attaching.unlock();
        }
    }

    private void leaveWhenUnreachable(List<ByteBuffer> roots, Membership membership) {
        Members members = file.members();
        AtomicInteger left = new AtomicInteger(roots.size());
        Runnable pieceGone = () -> {
            if (left.decrementAndGet() == 0) {
                members.leave(membership);
            }
        };
        roots.forEach(root -> cleaner.register(root, pieceGone));
    }

    /** The bytes of a slot, or null where it has not got what the keys say. */
    @Nullable ByteBuffer get(long slot) {
        return guarded(at -> {
            long word = find(at, slot);
            ByteBuffer view = isSet(word) ? at.samples.view(slot, (int) (word >>> LENGTH_SHIFT)) : null;
            if (view != null && view.limit() > 0) {
                touched = view.get(view.limit() - 1); // not there if the file has been cut shorter
            }
            return view;
        });
    }

    /** As {@link #get}, but a copy on the heap, which cannot become unreadable. */
    @Nullable ByteBuffer copy(long slot) {
        return guarded(at -> {
            long word = find(at, slot);
            return AccessFaults.copy(isSet(word) ? at.samples.view(slot, (int) (word >>> LENGTH_SHIFT)) : null);
        });
    }

    /** What an access gives, or null where there are no slots or the file has been cut shorter. */
    private <T> @Nullable T guarded(Function<Attached, @Nullable T> access) {
        try {
            Attached at = attached();
            T result = at == null ? null : access.apply(at);
            faults.raise();
            return result;
        } catch (InternalError e) {
            failed.increment();
            if (!closed) {
                Notice.warn(
                        LOG,
                        "the slots at {} are not used any more, the run goes on: {}; delete the file",
                        file,
                        e.toString());
                close();
            }
            return null;
        }
    }

    /** How many accesses have failed. */
    long failed() {
        return failed.sum();
    }

    /** The bytes of neighbouring slots, in any state. */
    ByteBuffer range(long from, long to) {
        Attached at = attached();
        if (at == null) {
            throw new IllegalStateException("slots are closed: " + file);
        }
        ByteBuffer piece = at.samples.view(from, to);
        if (piece == null) {
            piece = file.samples(from, to);
            leaveWhenUnreachable(List.of(piece), file.join(at.id));
        }
        return piece;
    }

    /** The word of a slot that has what the keys say, else EMPTY. */
    private long find(Attached at, long slot) {
        ByteBuffer piece = at.slots.piece(slot);
        int place = at.slots.at(slot);
        if (!isSet((long) LONG.getVolatile(piece, place)) || !isOurs(at, piece, place, slot)) {
            return EMPTY;
        }
        VarHandle.loadLoadFence(); // the key may have been that of a sample being written
        long word = (long) LONG.getVolatile(piece, place);
        return isSet(word) ? word : EMPTY;
    }

    private boolean isOurs(Attached at, ByteBuffer piece, int place, long slot) {
        return piece.getLong(place + HIGH) == (keys.high(slot) ^ at.salt)
                && piece.getLong(place + LOW) == keys.low(slot);
    }

    private static boolean isSet(long word) {
        return (word & STATE) == SET;
    }

    /** Whether a put of a slot would write now, as far as can be told without trying. */
    boolean accepts(long slot) {
        return Objects.requireNonNullElse(guarded(at -> accepts(at, slot)), false);
    }

    private boolean accepts(Attached at, long slot) {
        ByteBuffer piece = at.slots.piece(slot);
        int place = at.slots.at(slot);
        long word = (long) LONG.getVolatile(piece, place);
        if (isSet(word)) {
            return !isOurs(at, piece, place, slot) && !othersMayLook(at);
        }
        return word == EMPTY || (word & STATE) == WRITING && isAbandoned(word);
    }

    /** Puts a value that fits into a slot. */
    Outcome put(long slot, Encoded value) {
        return Objects.requireNonNullElse(guarded(at -> put(at, slot, value)), Outcome.REFUSED);
    }

    private Outcome put(Attached at, long slot, Encoded value) {
        ByteBuffer piece = at.slots.piece(slot);
        int place = at.slots.at(slot);
        long mine = at.membership.turn() << TURN_SHIFT | (long) at.membership.number() << MEMBER_SHIFT;
        for (; ; ) {
            long word = (long) LONG.getVolatile(piece, place);
            if (word != EMPTY && !isSet(word) && !isAbandoned(word)) {
                return Outcome.BUSY;
            }
            if (isSet(word) || (word & STATE) == CHECKING) {
                if (isOurs(at, piece, place, slot)) {
                    return isSet(word) ? Outcome.HELD : Outcome.BUSY; // its length is lost, and it may have readers
                }
                if (faults.compareAndSet(piece, place, word, mine | CHECKING)) {
                    // ours now, if another of ours was quicker between the look and the claim
                    boolean ours = isOurs(at, piece, place, slot);
                    if (ours || othersMayLook(at)) {
                        LONG.setVolatile(piece, place, word);
                        return ours && isSet(word) ? Outcome.HELD : Outcome.REFUSED;
                    }
                    LONG.setVolatile(piece, place, mine | WRITING);
                    break;
                }
            } else if (faults.compareAndSet(piece, place, word, mine | WRITING)) {
                break;
            }
        }
        write(at, piece, place, slot, value);
        return Outcome.HELD;
    }

    /** Whether a slot is being written or checked by a user that is gone. */
    private boolean isAbandoned(long word) {
        return file.members().isGone((int) (word >>> MEMBER_SHIFT) & (1 << MEMBER_BITS) - 1, word >>> TURN_SHIFT);
    }

    /** Whether others may have views of what is stale to this user. The answer no is not kept. */
    private boolean othersMayLook(Attached at) {
        long seen = othersSeen;
        if (seen != 0 && System.nanoTime() - seen < OTHERS_STAY_NANOS) {
            return true;
        }
        boolean others = file.members().othersGoBy(at.id);
        othersSeen = others ? System.nanoTime() | 1 : 0;
        return others;
    }

    private void write(Attached at, ByteBuffer piece, int place, long slot, Encoded value) {
        long outcome = EMPTY;
        try {
            value.copyTo(at.samples.piece(slot), at.samples.at(slot));
            piece.putLong(place + HIGH, keys.high(slot) ^ at.salt);
            piece.putLong(place + LOW, keys.low(slot));
            outcome = (long) value.length() << LENGTH_SHIFT | SET;
        } finally {
            LONG.setRelease(piece, place, outcome);
            file.changed();
            Reference.reachabilityFence(at); // or we might leave the members while we write
        }
    }

    /** How many slots have what the keys say. Counts again after a change: about 1 ms for 100,000 slots. */
    long samples() {
        return Objects.requireNonNullElse(guarded(this::samples), 0L);
    }

    private long samples(Attached at) {
        long changes = file.changes() + at.generation;
        Count known = count;
        if (known.changes != changes) {
            long samples = 0;
            for (long slot = 0; slot < file.header().held(); slot++) {
                samples += isSet(find(at, slot)) ? 1 : 0;
            }
            known = new Count(changes, samples);
            count = known;
        }
        return known.samples;
    }

    /** Takes no more part. What was handed out stays valid, and counts as in use until it is unreachable. */
    void close() {
        attaching.lock();
        try {
            closed = true;
            attached = null;
        } finally {
            attaching.unlock();
        }
    }
}
