package io.penstock.store.zip;

import io.penstock.store.Store;
import io.penstock.testkit.StoreKit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.io.TempDir;

/** A zip file of stored entries, which is written over in place, always in the same length. */
class ZipStoreKitTest extends StoreKit {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path beside;

    Path beside() {
        return beside;
    }

    @Override
    protected Store open(Path folder) throws IOException {
        write(Files.readAllBytes(folder.resolve("a/data.bin")));
        return ZipStore.open(beside.resolve("data.zip"));
    }

    @Override
    protected void rewrite(Path folder, String key, byte[] bytes) throws IOException {
        write(bytes);
    }

    private void write(byte[] data) throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(zipped)) {
            add(zip, "a/data.bin", data);
            add(zip, "empty", new byte[0]);
        }
        try (FileChannel channel =
                FileChannel.open(beside.resolve("data.zip"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(zipped.toByteArray()), 0);
        }
    }

    private static void add(ZipOutputStream zip, String name, byte[] bytes) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        ZipEntry entry = new ZipEntry(name);
        entry.setTime(0);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(bytes.length);
        entry.setCrc(crc.getValue());
        zip.putNextEntry(entry);
        zip.write(bytes);
        zip.closeEntry();
    }
}
