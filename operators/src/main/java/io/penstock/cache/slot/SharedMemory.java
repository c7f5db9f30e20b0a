package io.penstock.cache.slot;

import io.penstock.cache.internal.FreeMemory;
import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * How much room there is for a file, and how much of it is unused. On a memory file system, such as {@code /dev/shm},
 * the room is memory, and what the machine and this process's control groups leave of that counts too: a container's
 * {@code /dev/shm} may be larger than what it may use.
 *
 * @param total  in bytes
 * @param free   in bytes, now
 * @param memory whether it is a memory file system
 */
record SharedMemory(long total, long free, boolean memory) {

    private static final Set<String> MEMORY_TYPES = Set.of("tmpfs", "ramfs", "hugetlbfs");
    private static final long LARGEST_MARGIN = 16L << 20;

    /**
     * The room where a file is or would be.
     * @throws StoreException if the file system does not say
     */
    static SharedMemory at(Path place) {
        Path there = place.toAbsolutePath();
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        try {
            FileStore store = Files.getFileStore(there);
            boolean memory = MEMORY_TYPES.contains(store.type());
            long total = store.getTotalSpace();
            long free = store.getUsableSpace();
            if (memory) {
                FreeMemory machine = FreeMemory.now();
                total = Math.min(total, machine.total());
                free = Math.min(free, machine.free());
            }
            return new SharedMemory(Math.max(0, total), Math.max(0, free), memory);
        } catch (IOException e) {
            throw new StoreException("cannot see how much room there is at " + place, e);
        }
    }

    /** What may be taken: a little is left, since the next access to a full memory file system fails. */
    long spare() {
        return Math.max(0, free - Math.min(LARGEST_MARGIN, total / 64));
    }
}
