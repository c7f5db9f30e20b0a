package io.penstock.store.s3;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.StoreException;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.Crc32c;
import io.penstock.internal.FileErrors;
import io.penstock.internal.Notice;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The list of a store as a file in a local folder. One that is damaged, of another state or old counts as none.
 * <pre>
 *  magic, 8 bytes | state, 16 bytes | n, 8 bytes
 *  n times: bytes of the key before that this one begins with, 2 bytes | length of the rest, 2 bytes | the rest |
 *           size, 8 bytes | version, 8 bytes
 *  CRC-32C of all before, 4 bytes      all big-endian
 * </pre>
 */
final class KeptList {

    private static final Logger LOG = LoggerFactory.getLogger(KeptList.class);

    private static final long MAGIC = 0x5053_4c53_0000_0001L; // PSLS, version 1
    private static final int HEADER = 4 * Long.BYTES;
    private static final int ENTRY = 2 * Short.BYTES + 2 * Long.BYTES;
    private static final int MAX_BYTES = 1 << 30;
    private static final Duration MAX_AGE = Duration.ofDays(1);

    private final Path file;
    private final List<Page> pages = new ArrayList<>();
    private long bytes;

    /** Entries of one page of the list as they are kept. A list is kept page by page, in the order of the first keys. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Page(byte[] first, int count, ByteBuffer entries) {}

    /** @param of words that name the same list in every process */
    KeptList(Path folder, Fingerprint of) {
        this.file = folder.resolve(of.hex() + ".list");
    }

    /**
     * Tells the entries that are kept; false, and tells none, where there are none of this state.
     * @param state of the list now, as far as it was asked for
     */
    boolean visit(Fingerprint state, Store.Visitor visitor) {
        try {
            if (Files.size(file) > MAX_BYTES + HEADER || isOld()) {
                return false;
            }
            byte[] all = Files.readAllBytes(file);
            if (!isWhole(all)) {
                Notice.warn(LOG, "the list {} does not match its checksum; the bucket is listed again", file);
                return false;
            }
            ByteBuffer in = ByteBuffer.wrap(all, 0, all.length - Integer.BYTES);
            if (in.getLong() != MAGIC || in.getLong() != state.high() || in.getLong() != state.low()) {
                return false;
            }
            read(in, visitor);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw new StoreException("cannot read the list %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }

    /** Removes the file, so that the next start lists the bucket. */
    void drop() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("cannot remove the list {}, which is out of date: {}; remove it", file, e.toString());
        }
    }

    private boolean isOld() throws IOException {
        long age = System.currentTimeMillis() - Files.getLastModifiedTime(file).toMillis();
        return age > MAX_AGE.toMillis();
    }

    private static boolean isWhole(byte[] all) {
        int body = all.length - Integer.BYTES;
        return body >= HEADER && Crc32c.of(all, 0, body) == ByteBuffer.wrap(all).getInt(body);
    }

    private static void read(ByteBuffer in, Store.Visitor visitor) {
        byte[] key = new byte[1 << 16];
        for (long left = in.getLong(); left > 0; left--) {
            int same = Short.toUnsignedInt(in.getShort());
            int rest = Short.toUnsignedInt(in.getShort());
            in.get(key, same, rest);
            visitor.file(new String(key, 0, same + rest, StandardCharsets.UTF_8), in.getLong(), in.getLong());
        }
    }

    /** Adds entries that follow each other in the list to what {@link #keep} writes. */
    void add(List<StoreEntry> entries) {
        if (bytes > MAX_BYTES || entries.isEmpty()) {
            return; // too long to be kept
        }
        byte[] first = utf8(entries.get(0));
        byte[] last = {};
        ByteArrayOutputStream kept = new ByteArrayOutputStream(entries.size() * (ENTRY + first.length));
        ByteBuffer numbers = ByteBuffer.allocate(ENTRY);
        for (StoreEntry entry : entries) {
            byte[] key = utf8(entry);
            int differs = Arrays.mismatch(last, key);
            int same = differs < 0 ? key.length : differs;
            numbers.clear().putShort((short) same).putShort((short) (key.length - same));
            kept.write(numbers.array(), 0, numbers.position());
            kept.write(key, same, key.length - same);
            numbers.clear().putLong(entry.size()).putLong(entry.version());
            kept.write(numbers.array(), 0, numbers.position());
            last = key;
        }
        bytes += kept.size();
        pages.add(new Page(first, entries.size(), ByteBuffer.wrap(kept.toByteArray())));
    }

    private static byte[] utf8(StoreEntry entry) {
        return entry.key().getBytes(StandardCharsets.UTF_8);
    }

    /** Writes what was added. A folder that cannot be written is warned of: the list is made again next time. */
    void keep(Fingerprint state) {
        if (bytes > MAX_BYTES) {
            return;
        }
        pages.sort(Comparator.comparing(Page::first, Arrays::compareUnsigned)); // so that readers have less to sort
        ByteBuffer all = ByteBuffer.allocate((int) (HEADER + bytes + Integer.BYTES))
                .putLong(MAGIC)
                .putLong(state.high())
                .putLong(state.low())
                .putLong(pages.stream().mapToLong(Page::count).sum());
        pages.forEach(page -> all.put(page.entries()));
        all.putInt(Crc32c.of(all.array(), 0, all.position()));
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            AtomicFile.write(file, all.array());
        } catch (IOException e) {
            Notice.warn(LOG, "cannot keep the list {}: {}", file, e.toString());
        }
    }
}
