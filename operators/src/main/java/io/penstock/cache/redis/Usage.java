package io.penstock.cache.redis;

import io.lettuce.core.protocol.AsyncCommand;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How much a name space holds, which no server counts: whoever puts adds to two numbers there, a batch at a time. Losing a
 * node or evicting makes them too high; they inform, and decide nothing.
 */
final class Usage {

    private static final String SAMPLES = "samples";
    private static final String BYTES = "bytes";
    private static final long FRESH = TimeUnit.SECONDS.toNanos(1);
    private static final Pattern LIMIT = Pattern.compile("(?m)^maxmemory:(\\d{1,18})\\s*$");
    private static final Pattern TOTAL = Pattern.compile("(?m)^total_system_memory:(\\d{1,18})\\s*$");
    private static final Pattern EVICTED = Pattern.compile("(?m)^evicted_keys:(\\d{1,18})\\s*$");

    private final Endpoint endpoint;
    private final KeySpace keys;
    private final Commands commands;
    private final Count samples = new Count(SAMPLES);
    private final Count bytes = new Count(BYTES);
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile long askedAt = System.nanoTime() - FRESH;
    private volatile long capacity = Long.MAX_VALUE;
    private volatile long evicted;

    /** A number there: what was heard of it last, what is being told, and what was not told yet. */
    private static final class Count {
        private final String field;
        private final Object lock = new Object();
        private long known;
        private long flying;
        private long untold;

        Count(String field) {
            this.field = field;
        }

        long value() {
            synchronized (lock) {
                return Math.max(0, known + flying + untold);
            }
        }

        void add(long more) {
            synchronized (lock) {
                untold += more;
            }
        }

        /** What is to be told now; 0 if nothing, or if an answer is waited for. */
        long takeOff() {
            synchronized (lock) {
                if (flying != 0) {
                    return 0;
                }
                flying = untold;
                untold = 0;
                return flying;
            }
        }

        void landed(@Nullable Long all) {
            synchronized (lock) {
                if (all == null) {
                    untold += flying;
                } else {
                    known = all;
                }
                flying = 0;
            }
        }

        void heard(long all) {
            synchronized (lock) {
                if (flying == 0) {
                    known = all;
                }
            }
        }
    }

    Usage(Endpoint endpoint, KeySpace keys, Commands commands) {
        this.endpoint = endpoint;
        this.keys = keys;
        this.commands = commands;
    }

    void add(long moreSamples, long moreBytes) {
        samples.add(moreSamples);
        bytes.add(moreBytes);
    }

    /** Tells the others what was added; what cannot be told stays for the next time. */
    void tell() {
        tell(samples);
        tell(bytes);
    }

    private void tell(Count count) {
        long more = count.takeOff();
        if (more != 0) {
            endpoint.send(keys.usage(), commands.add(keys.usage(), count.field, more))
                    .whenComplete((all, e) -> {
                        count.landed(all);
                        if (e == null) {
                            tell(count);
                        }
                    });
        }
    }

    /** Has the numbers asked for, if they are not fresh; they come later. */
    void refresh() {
        Connection connection = endpoint.connection();
        if (connection == null
                || System.nanoTime() - askedAt < FRESH
                || !endpoint.isUp(keys.usage())
                || !asking.compareAndSet(false, true)) {
            return;
        }
        askedAt = System.nanoTime();
        AsyncCommand<byte[], Frame, List<Frame>> question = commands.counts(keys.usage(), SAMPLES, BYTES);
        endpoint.send(keys.usage(), question).whenComplete((numbers, e) -> {
            if (numbers != null && numbers.size() == 2) {
                samples.heard(number(numbers.get(0)));
                bytes.heard(number(numbers.get(1)));
            }
            asking.set(false);
        });
        connection.infos().collectList().subscribe(this::heed, e -> {}); // some servers do not say it to everyone
    }

    private void heed(List<String> infos) {
        long room = 0;
        long gone = 0;
        for (String info : infos) {
            long limit = number(LIMIT, info);
            room += limit > 0 ? limit : number(TOTAL, info);
            gone += number(EVICTED, info);
        }
        capacity = room > 0 ? room : Long.MAX_VALUE;
        evicted = gone;
    }

    private static long number(Pattern pattern, String info) {
        Matcher line = pattern.matcher(info);
        return line.find() ? Long.parseLong(line.group(1)) : 0;
    }

    private static long number(@Nullable Frame frame) {
        if (frame == null) {
            return 0;
        }
        String digits =
                StandardCharsets.US_ASCII.decode(frame.body().duplicate()).toString();
        return digits.matches("\\d{1,18}") ? Long.parseLong(digits) : 0;
    }

    long samples() {
        return samples.value();
    }

    long bytes() {
        return bytes.value();
    }

    /** What the servers may hold, for all who use them. */
    long capacity() {
        return capacity;
    }

    /** Keys that the servers gave up, whoever put them. */
    long evicted() {
        return evicted;
    }
}
