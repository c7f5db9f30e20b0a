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
 * How much a name space holds. No server counts that, so each client that puts adds to two counters there, a batch at a
 * time. They are too high after a node was lost or keys were evicted. They are for statistics only.
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

    /** A counter there: its last known value, what is being added, and what is still to be added. */
    static final class Count {
        private final String field;
        private final Object lock = new Object();
        private long known;
        private long sending;
        private long unsent;
        private long answers;

        Count(String field) {
            this.field = field;
        }

        long value() {
            synchronized (lock) {
                return Math.max(0, known + sending + unsent);
            }
        }

        void add(long more) {
            synchronized (lock) {
                unsent += more;
            }
        }

        /** What is to be sent now; 0 if nothing, or while an answer is outstanding. */
        long take() {
            synchronized (lock) {
                if (sending != 0) {
                    return 0;
                }
                sending = unsent;
                unsent = 0;
                return sending;
            }
        }

        void sent(@Nullable Long all) {
            synchronized (lock) {
                if (all == null) {
                    unsent += sending;
                } else {
                    known = all;
                }
                sending = 0;
                answers++;
            }
        }

        /** The question that is asked now, for {@link #received}. */
        long asked() {
            synchronized (lock) {
                return answers;
            }
        }

        /**
         * An answer counts unless something was added since its question: the thread that asks may be told late, when the
         * sum after the addition is known already.
         */
        void received(long question, long all) {
            synchronized (lock) {
                if (sending == 0 && answers == question) {
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

    /** Adds what was counted to the counters there; what cannot be sent stays for the next time. */
    void tell() {
        tell(samples);
        tell(bytes);
    }

    private void tell(Count count) {
        long more = count.take();
        if (more != 0) {
            endpoint.send(keys.usage(), commands.add(keys.usage(), count.field, more))
                    .whenComplete((all, e) -> {
                        count.sent(all);
                        if (e == null) {
                            tell(count);
                        }
                    });
        }
    }

    /** Asks for the numbers if they are older than a second; they come later. */
    void refresh() {
        Connection connection = endpoint.connection();
        if (connection == null
                || System.nanoTime() - askedAt < FRESH
                || !endpoint.isUp(keys.usage())
                || !asking.compareAndSet(false, true)) {
            return;
        }
        askedAt = System.nanoTime();
        long ofSamples = samples.asked();
        long ofBytes = bytes.asked();
        AsyncCommand<byte[], Frame, List<Frame>> question = commands.counts(keys.usage(), SAMPLES, BYTES);
        endpoint.send(keys.usage(), question).whenComplete((numbers, e) -> {
            if (numbers != null && numbers.size() == 2) {
                samples.received(ofSamples, number(numbers.get(0)));
                bytes.received(ofBytes, number(numbers.get(1)));
            }
            asking.set(false);
        });
        connection.infos().collectList().subscribe(this::read, e -> {}); // some servers refuse this command
    }

    private void read(List<String> infos) {
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

    /** Keys that the servers gave up, of all processes. */
    long evicted() {
        return evicted;
    }
}
