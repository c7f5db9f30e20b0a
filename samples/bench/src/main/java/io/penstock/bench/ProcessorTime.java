package io.penstock.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The processor time of this process, user and system. On a shared machine it varies less than elapsed time does. */
public final class ProcessorTime {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private ProcessorTime() {}

    /** The seconds that some work takes, after a collection. */
    public static double seconds(Runnable work) {
        Garbage.clear();
        long before = SYSTEM.getProcessCpuTime();
        work.run();
        return (SYSTEM.getProcessCpuTime() - before) / 1e9;
    }
}
