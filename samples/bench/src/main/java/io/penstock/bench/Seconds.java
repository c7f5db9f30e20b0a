package io.penstock.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;

/** Seconds that some work takes. */
public final class Seconds {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Seconds() {}

    public interface Work {
        void run() throws IOException;
    }

    public static double of(Work work) {
        long began = System.nanoTime();
        run(work);
        return since(began);
    }

    public static double since(long began) {
        return (System.nanoTime() - began) / 1e9;
    }

    /**
     * Processor time of this process, user and system, after a collection. On a shared machine it varies less than
     * elapsed time does.
     */
    public static double ofProcessor(Work work) {
        Garbage.clear();
        long before = SYSTEM.getProcessCpuTime();
        run(work);
        return (SYSTEM.getProcessCpuTime() - before) / 1e9;
    }

    private static void run(Work work) {
        try {
            work.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
