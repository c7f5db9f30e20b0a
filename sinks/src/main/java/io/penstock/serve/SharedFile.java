package io.penstock.serve;

import io.penstock.fault.StoreException;
import io.penstock.internal.FileWork;
import io.penstock.internal.Notice;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches of one run in a file that other processes map: one region for each field and slot.
 *
 * <p>A region is filled with zeros before it is mapped: a mapped write into a full memory file system ends the process,
 * while this write only fails. A region is never used for anything else, since a process that still maps it may write
 * to it. The file is removed with the run; the system frees its memory when no process maps it.
 *
 * <p>A tensor's region is found by its address modulo 2^30, the largest modulus that {@link ByteBuffer#alignmentOffset}
 * takes. No two regions begin at the same one.
 */
final class SharedFile implements RunMemory {

    private static final Logger LOG = LoggerFactory.getLogger(BatchServer.class);
    private static final int MODULUS = 1 << 30;
    private static final int PAGE = 4096;
    private static final int ZEROS = 1 << 20;
    static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path path;
    private final FileChannel channel;
    private final List<Region> regions = new CopyOnWriteArrayList<>();
    private long end; // by the thread that fills slots, one at a time

    private record Region(int address, long offset) {}

    private SharedFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /**
     * A new file, which only this user may open.
     * @throws StoreException if it cannot be made
     */
    static SharedFile create(Path path) {
        return FileWork.get(
                "cannot make shared memory at " + path,
                () -> new SharedFile(
                        path,
                        FileChannel.open(
                                path,
                                Set.of(
                                        StandardOpenOption.CREATE_NEW,
                                        StandardOpenOption.READ,
                                        StandardOpenOption.WRITE),
                                PRIVATE)));
    }

    @Override
    public ByteBuffer apply(int bytes) {
        long start = end;
        long room = (Math.max(1L, bytes) + PAGE - 1) / PAGE * PAGE + PAGE;
        try {
            reserve(start, room);
            ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, start, room);
            end = start + room;
            int shift = 0;
            while (isTaken(address(mapped.slice(shift, bytes)))) {
                shift += ALIGNMENT; // one page is spare: room for 64 regions that are a GiB apart
            }
            ByteBuffer region = mapped.slice(shift, bytes);
            regions.add(new Region(address(region), start + shift));
            return region;
        } catch (IOException e) {
            throw new StoreException(
                    "no room for %d bytes of shared memory in %s: %s; take smaller batches, or a file system with more room"
                            .formatted(room, path, e.getMessage()),
                    e);
        }
    }

    private void reserve(long start, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
        for (long at = start; at < start + bytes; ) {
            zeros.clear().limit((int) Math.min(ZEROS, start + bytes - at));
            at += channel.write(zeros, at);
        }
    }

    /**
     * The offset in the file of a tensor that begins where a region does; 0 if the tensor has no bytes.
     * @throws IllegalStateException if it is not in the file
     */
    long offsetOf(Tensor tensor) {
        if (tensor.byteSize() == 0) {
            return 0;
        }
        ByteBuffer data = tensor.data();
        if (data.isDirect()) {
            int address = address(data);
            for (Region region : regions) {
                if (region.address == address) {
                    return region.offset;
                }
            }
        }
        throw new IllegalStateException(
                "a batch does not lie in shared memory: the feed must stack it in the memory it is given");
    }

    private boolean isTaken(int address) {
        return regions.stream().anyMatch(region -> region.address == address);
    }

    private static int address(ByteBuffer direct) {
        return direct.alignmentOffset(0, MODULUS);
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
            channel.close();
        } catch (IOException e) {
            Notice.warn(LOG, "cannot remove shared memory: {}", e.toString());
        }
    }

    Path path() {
        return path;
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
