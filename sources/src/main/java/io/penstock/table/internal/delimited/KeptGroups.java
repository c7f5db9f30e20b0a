package io.penstock.table.internal.delimited;

import io.penstock.cache.SampleKey;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.Crc32c;
import io.penstock.internal.Notice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups of a file in a local folder, for the next run. A file that is damaged, or of another state, counts as none.
 * <pre>
 *  magic i64, state of the table's file i64 i64, its bytes i64, header i64, groups n i32
 *  n × (offset i64, line i64, rows i32), end i64
 *  CRC-32C of all before i32            all big-endian
 * </pre>
 */
final class KeptGroups {

    private static final Logger LOG = LoggerFactory.getLogger(KeptGroups.class);
    private static final long MAGIC = 0x5053_5247_0000_0001L; // PSRG, version 1
    private static final int FIXED = 6 * Long.BYTES + 2 * Integer.BYTES;
    private static final int GROUP = 2 * Long.BYTES + Integer.BYTES;
    private static final int MAX_BYTES = 1 << 30;

    private final Path file;
    private final SampleKey state;
    private final long bytes;

    /**
     * @param place where the table's file lies
     * @param state the same with its state
     * @param bytes that it has, decompressed
     */
    KeptGroups(Path folder, SampleKey place, SampleKey state, long bytes) {
        this.file = folder.resolve("%016x%016x.groups".formatted(place.high(), place.low()));
        this.state = state;
        this.bytes = bytes;
    }

    @Nullable RecordGroups read() {
        try {
            if (!Files.isRegularFile(file) || Files.size(file) > MAX_BYTES) {
                return null;
            }
            byte[] all = Files.readAllBytes(file);
            RecordGroups found = isWhole(all) ? parse(ByteBuffer.wrap(all)) : null;
            if (found == null) {
                LOG.info("making the index of a table again, since {} is damaged or of another state of it", file);
            }
            return found;
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            Notice.warn(LOG, "making the index of a table again, since {} cannot be read: {}", file, e.toString());
            return null;
        }
    }

    private static boolean isWhole(byte[] all) {
        int body = all.length - Integer.BYTES;
        return body >= FIXED - Integer.BYTES
                && Crc32c.of(all, 0, body) == ByteBuffer.wrap(all).getInt(body);
    }

    private @Nullable RecordGroups parse(ByteBuffer in) {
        if (in.getLong() != MAGIC
                || in.getLong() != state.high()
                || in.getLong() != state.low()
                || in.getLong() != bytes) {
            return null;
        }
        long header = in.getLong();
        int count = in.getInt();
        if (count < 0 || FIXED + (long) GROUP * count != in.limit() || header < 0) {
            return null;
        }
        long[] offsets = new long[count + 1];
        long[] lines = new long[count];
        int[] rows = new int[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = in.getLong();
            lines[i] = in.getLong();
            rows[i] = in.getInt();
        }
        offsets[count] = in.getLong();
        for (int i = 0; i < count; i++) {
            long size = offsets[i + 1] - offsets[i];
            if (rows[i] < 1 || rows[i] > size || offsets[i] < header || size > RecordGroups.MAX_BYTES) {
                return null;
            }
        }
        return header > offsets[count] || offsets[count] > bytes
                ? null
                : new RecordGroups(header, offsets, rows, lines);
    }

    /** Keeps them; a folder that cannot be written is warned of. */
    void write(RecordGroups groups) {
        long size = FIXED + (long) GROUP * groups.size();
        if (size > MAX_BYTES) {
            return;
        }
        ByteBuffer out = ByteBuffer.allocate((int) size);
        out.putLong(MAGIC).putLong(state.high()).putLong(state.low()).putLong(bytes);
        out.putLong(groups.header()).putInt(groups.size());
        for (int i = 0; i < groups.size(); i++) {
            out.putLong(groups.offsets()[i]).putLong(groups.lines()[i]).putInt(groups.rows()[i]);
        }
        out.putLong(groups.offsets()[groups.size()]);
        out.putInt(Crc32c.of(out.array(), 0, out.position()));
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            AtomicFile.write(file, out.array());
        } catch (IOException e) {
            Notice.warn(LOG, "cannot keep the index of a table in {}: {}", file, e.toString());
        }
    }
}
