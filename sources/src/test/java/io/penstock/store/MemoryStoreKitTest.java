package io.penstock.store;

import io.penstock.testkit.StoreKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

class MemoryStoreKitTest extends StoreKit {

    @Override
    protected Store open(Path folder) throws IOException {
        return MemoryStore.of(
                "kit",
                Map.of(
                        "a/data.bin",
                        Files.readAllBytes(folder.resolve("a/data.bin")),
                        "empty",
                        Files.readAllBytes(folder.resolve("empty"))));
    }
}
