package io.penstock.store;

import io.penstock.kit.CountingStore;
import io.penstock.kit.WrappedStore;
import io.penstock.testkit.StoreKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;

/** The stores that tests count and delay reads with are stores, too. */
class WrappedStoreKitTest {

    @Nested
    class Wrapped extends StoreKit {
        @Override
        protected Store open(Path folder) {
            return new WrappedStore(FileStore.open(folder));
        }
    }

    @Nested
    class Counting extends StoreKit {
        @Override
        protected Store open(Path folder) throws IOException {
            return new CountingStore()
                    .put("a/data.bin", Files.readAllBytes(folder.resolve("a/data.bin")))
                    .put("empty", Files.readAllBytes(folder.resolve("empty")));
        }
    }

    @Nested
    class OverShortReads extends StoreKit {
        @Override
        protected Store open(Path folder) throws IOException {
            return new ShortStore()
                    .with("a/data.bin", Files.readAllBytes(folder.resolve("a/data.bin")))
                    .with("empty", Files.readAllBytes(folder.resolve("empty")));
        }
    }
}
