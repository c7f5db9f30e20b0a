package io.penstock.store.unpack;

import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import io.penstock.testkit.StoreKit;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** One file, compressed, as its unpacked copy; a copy that is written to is unpacked again. */
class UnpackedFileKitTest extends StoreKit {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path packed;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path copies;

    @SuppressWarnings("NullAway.Init")
    private FileStore source;

    @SuppressWarnings("NullAway.Init")
    private StoreFile file;

    @Override
    protected Store open(Path folder) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed.resolve("data.bin.gz")))) {
            Files.copy(folder.resolve("a/data.bin"), out);
        }
        source = FileStore.open(packed);
        StoreEntry entry = Objects.requireNonNull(source.entry("data.bin.gz").block());
        file = Unpacker.into(copies).unpack(source, entry);
        return file.store();
    }

    @Override
    protected String key() {
        return file.entry().key();
    }

    @Override
    protected boolean holdsAll() {
        return false;
    }

    @Override
    protected void rewrite(Path folder, String key, byte[] bytes) throws IOException {
        try {
            super.rewrite(copies, key(), bytes);
        } catch (NoSuchFileException e) {
            // a copy that was written to is given up, and unpacked again by the next read
        }
    }

    @AfterEach
    void close() {
        source.close();
    }
}
