package io.penstock.cache.internal;

import io.penstock.internal.Arguments;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How much memory there is, and how much of it is unused: the smaller of what the machine has and of what the control
 * groups of this process allow, its own group and all those around it.
 *
 * <p>Of what a group uses, its inactive file pages count as free: they are cached file contents, which the kernel gives
 * up before it ends a process. Files that are missing or hold something unexpected limit nothing.
 * @see <a href="https://docs.kernel.org/admin-guide/cgroup-v2.html">Control group v2, memory</a>
 * @see <a href="https://docs.kernel.org/admin-guide/cgroup-v1/memory.html">Control group v1, memory</a>
 */
public final class FreeMemory {

    private static final long NO_LIMIT = 1L << 60; // v1 says 2^63 less a page, v2 "max"

    private final Path root;
    private long total = Long.MAX_VALUE;
    private long free = Long.MAX_VALUE;

    private FreeMemory(Path root) {
        this.root = root;
    }

    /** What the machine and the control groups say now. */
    public static FreeMemory now() {
        return under(Path.of("/"));
    }

    /** The same from the {@code proc} and {@code sys} below another root. */
    static FreeMemory under(Path root) {
        FreeMemory memory = new FreeMemory(root);
        memory.readMachine();
        memory.readGroups();
        return memory;
    }

    /** Bytes that there are for this process and its neighbours; {@code Long.MAX_VALUE} if unknown. */
    public long total() {
        return total;
    }

    /** Bytes that are unused now; {@code Long.MAX_VALUE} if unknown. */
    public long free() {
        return free;
    }

    /** How many bytes this JVM's heap may take in addition. */
    public static long heapMayGrow() {
        Runtime jvm = Runtime.getRuntime();
        return jvm.maxMemory() - jvm.totalMemory();
    }

    /** A share of the bytes that are free for a cache. */
    public static long share(double share, long free, long heapMayGrow) {
        Arguments.refuse(
                free == Long.MAX_VALUE, "this system does not say how much memory is free; give a size in bytes");
        long bytes = (long) (share * (free - heapMayGrow));
        if (bytes < 1) {
            throw new IllegalArgumentException(
                    ("no memory is left for a RAM cache: %d bytes are free, and the heap may grow by %d; lower -Xmx or"
                                    + " give a size in bytes")
                            .formatted(free, heapMayGrow));
        }
        return bytes;
    }

    private void readMachine() {
        List<String> lines = lines(root.resolve("proc/meminfo"));
        OptionalLong memTotal = field(lines, "MemTotal:", 1024);
        OptionalLong available = field(lines, "MemAvailable:", 1024);
        if (memTotal.isPresent() && available.isPresent()) {
            limit(memTotal.getAsLong(), available.getAsLong());
        } else if (ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system) {
            limit(system.getTotalMemorySize(), system.getFreeMemorySize());
        }
    }

    private void readGroups() {
        for (String line : lines(root.resolve("proc/self/cgroup"))) {
            String[] parts = line.split(":", 3); // hierarchy:controllers:path
            if (parts.length == 3 && parts[0].equals("0") && parts[1].isEmpty()) {
                walk("sys/fs/cgroup", parts[2], this::readGroup2);
                walk("sys/fs/cgroup/unified", parts[2], this::readGroup2);
            } else if (parts.length == 3 && List.of(parts[1].split(",")).contains("memory")) {
                walk("sys/fs/cgroup/memory", parts[2], this::readGroup1);
            }
        }
    }

    /** A group and those around it; inside a container the path may not exist, and the mount is the group itself. */
    private void walk(String mount, String path, BiConsumer<Path, List<String>> read) {
        Path top = root.resolve(mount);
        Path group = top.resolve(path.replaceFirst("^/+", "")).normalize();
        for (@Nullable Path at = group.startsWith(top) ? group : top;
                at != null && at.startsWith(top);
                at = at.getParent()) {
            read.accept(at, lines(at.resolve("memory.stat")));
        }
    }

    private void readGroup2(Path group, List<String> stat) {
        readGroup(
                number(group.resolve("memory.max")),
                number(group.resolve("memory.current")),
                field(stat, "inactive_file", 1));
    }

    private void readGroup1(Path group, List<String> stat) {
        readGroup(
                number(group.resolve("memory.limit_in_bytes")),
                number(group.resolve("memory.usage_in_bytes")),
                field(stat, "total_inactive_file", 1));
    }

    private void readGroup(OptionalLong limit, OptionalLong used, OptionalLong reclaimable) {
        if (limit.isPresent() && limit.getAsLong() < NO_LIMIT) {
            long inUse = Math.max(0, used.orElse(0) - reclaimable.orElse(0));
            limit(limit.getAsLong(), Math.max(0, limit.getAsLong() - inUse));
        }
    }

    private void limit(long ofTotal, long ofFree) {
        total = Math.min(total, ofTotal);
        free = Math.min(free, ofFree);
    }

    private static OptionalLong field(List<String> lines, String name, long unit) {
        for (String line : lines) {
            String[] words = line.trim().split("\\s+", -1);
            if (words.length >= 2 && words[0].equals(name)) {
                OptionalLong value = number(words[1]);
                return value.isPresent() && value.getAsLong() < Long.MAX_VALUE / unit
                        ? OptionalLong.of(value.getAsLong() * unit)
                        : OptionalLong.empty();
            }
        }
        return OptionalLong.empty();
    }

    private static OptionalLong number(Path file) {
        List<String> lines = lines(file);
        return lines.size() == 1 ? number(lines.get(0).trim()) : OptionalLong.empty();
    }

    private static OptionalLong number(String digits) {
        try {
            long value = Long.parseLong(digits);
            return value < 0 ? OptionalLong.empty() : OptionalLong.of(value);
        } catch (NumberFormatException e) {
            return OptionalLong.empty(); // "max", or nothing we know
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
        } catch (IOException | SecurityException e) {
            return List.of();
        }
    }
}
