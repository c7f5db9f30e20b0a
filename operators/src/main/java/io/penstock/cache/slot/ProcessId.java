package io.penstock.cache.slot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;

/**
 * Which process, told apart from those that had or will have its number.
 *
 * @param pid   its number
 * @param start when it began, in ticks since the boot (milliseconds where there is no {@code /proc})
 * @param space the number's name space: a container has its own; 0 if unknown
 * @param boot  which run of the machine
 */
record ProcessId(long pid, long start, long space, long boot) {

    private static final Path PROC = Path.of("/proc");
    private static final int START = 19; // of the fields after the name: field 22 in proc(5)

    private static final long ENDED = -1;
    private static final long UNKNOWN = -2;

    static ProcessId self() {
        long pid = ProcessHandle.current().pid();
        return new ProcessId(pid, Math.max(0, startOf(pid)), nameSpace(), bootNow());
    }

    /**
     * Whether it has certainly ended, as the asking process sees it. A process in another name space counts as alive:
     * then its unfinished slot stays a miss, which is better than a wrong sample.
     */
    boolean isDead(ProcessId asker) {
        if (boot != asker.boot) {
            return true;
        }
        if (space != asker.space || equals(asker)) {
            return false;
        }
        long now = startOf(pid);
        return now == ENDED || now != UNKNOWN && now != start;
    }

    private static long startOf(long pid) {
        if (!Files.isDirectory(PROC.resolve("self"))) {
            return ProcessHandle.of(pid)
                    .map(process -> process.info()
                            .startInstant()
                            .map(Instant::toEpochMilli)
                            .orElse(UNKNOWN))
                    .orElse(ENDED);
        }
        try {
            String stat = Files.readString(PROC.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            boolean gone = fields[0].equals("Z") || fields[0].equals("X"); // it only waits to be noticed
            return gone ? ENDED : Long.parseLong(fields[START]);
        } catch (NoSuchFileException e) {
            return Files.exists(PROC.resolve("1/stat")) ? ENDED : UNKNOWN; // hidepid hides the living too
        } catch (IOException | RuntimeException e) {
            return e.getMessage() != null && e.getMessage().contains("No such process") ? ENDED : UNKNOWN;
        }
    }

    private static long nameSpace() {
        try {
            String link = Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString(); // pid:[4026531836]
            return Long.parseLong(link.replaceAll("\\D", ""));
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    /** Which run of the machine this is; 0 if unknown. */
    static long bootNow() {
        try {
            UUID id = UUID.fromString(
                    Files.readString(PROC.resolve("sys/kernel/random/boot_id")).trim());
            return id.getMostSignificantBits() ^ id.getLeastSignificantBits();
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }
}
