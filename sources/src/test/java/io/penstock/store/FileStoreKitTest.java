package io.penstock.store;

import io.penstock.testkit.StoreKit;
import java.nio.file.Path;

class FileStoreKitTest extends StoreKit {

    @Override
    protected Store open(Path folder) {
        return FileStore.open(folder);
    }
}
