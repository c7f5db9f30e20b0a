package io.penstock.store.mirror;

import io.penstock.kit.StoreKit;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

class MirroredStoreKitTest extends StoreKit {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @SuppressWarnings("NullAway.Init")
    private MirroredStore store;

    @Override
    protected Store open(Path folder) {
        store = MirroredStore.of(FileStore.open(folder), directory);
        return store;
    }

    @AfterEach
    void close() {
        store.close();
    }
}
