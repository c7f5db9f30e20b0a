package io.penstock.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the process takes of memory at a moment.
 *
 * @param heapBytes     used on the Java heap after a collection
 * @param residentBytes of the whole process, 0 where the system does not say
 */
public record Footprint(long heapBytes, long residentBytes) {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final int COLLECTIONS = 3;

    public static Footprint now() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc(); // the first may only find what the second can free: direct buffers have cleaners
        }
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return new Footprint(heap, resident());
    }

    private static long resident() {
        try {
            return Files.readAllLines(STATUS).stream()
                    .filter(line -> line.startsWith(RESIDENT))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0; // not Linux
        }
    }
}
