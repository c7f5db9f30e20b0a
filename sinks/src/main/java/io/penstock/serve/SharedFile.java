package io.penstock.serve;

import io.penstock.fault.StoreException;
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
 * The batches of one run in a file that other processes map: a region a field and slot, one behind the other.
 *
 * <p>A region is written with zeros before it is mapped, since a mapped write into a full memory file system ends the
 * process, while this write only fails. Regions are never used for anything else: who still has a view of one
 * may write to it. The file goes with the run, its memory when nobody maps it any more.
 *
 * <p>A tensor's region is told by its address modulo 2^30, the most that {@link ByteBuffer#alignmentOffset} shows of it; regions
 * begin at different ones.
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
    private long end; // by the one thread at a time that fills slots

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
        try {
            return new SharedFile(
                    path,
                    FileChannel.open(
                            path,
                            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                            PRIVATE));
        } catch (IOException e) {
            throw new StoreException("cannot make shared memory at %s: %s".formatted(path, e), e);
        }
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
                shift += ALIGNMENT; // there is a page to spare: room for 64 regions a GiB apart
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
     * Where in the file a tensor begins that lies in one of its regions, at the beginning; 0 where it has no bytes.
     * @throws IllegalStateException if it lies elsewhere
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
            LOG.warn("cannot remove shared memory: {}", e.toString());
        }
    }

    Path path() {
        return path;
    }

    /** The path. */
    @Override
    public String toString() {
        return path.toString();
    }
}
