package io.penstock.cli.report;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/**
 * How much processor time the Java threads of this process take; compilers and the collector are none. One thread at a
 * time may ask.
 */
public final class ProcessorTime {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Map<Long, Long> nanos = nanos();
    private long at = System.nanoTime();

    /** All of it since the last call, as a multiple of the time that has passed; 0 where that is unknown. */
    public double share() {
        Map<Long, Long> now = nanos();
        long wall = Math.max(1, System.nanoTime() - at);
        long took = now.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - nanos.getOrDefault(thread.getKey(), 0L))
                .filter(each -> each > 0)
                .sum();
        nanos = now;
        at += wall;
        return (double) took / wall;
    }

    private static Map<Long, Long> nanos() {
        Map<Long, Long> nanos = new HashMap<>();
        if (THREADS.isThreadCpuTimeSupported()) {
            for (long id : THREADS.getAllThreadIds()) {
                nanos.put(id, THREADS.getThreadCpuTime(id));
            }
        }
        return nanos;
    }
}
