package io.penstock.store.http;

import io.penstock.kit.StoreKit;
import io.penstock.store.Store;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

class HttpStoreKitTest extends StoreKit {

    @SuppressWarnings("NullAway.Init")
    private TestServer server;

    @Override
    protected Store open(Path folder) {
        server = TestServer.withManifest(folder, 0);
        return HttpStore.at(server.address()).manifest("manifest.jsonl");
    }

    @AfterEach
    void close() {
        server.close();
    }
}
