package io.penstock.store.http;

import io.penstock.store.Store;
import io.penstock.testkit.StoreKit;
import java.io.IOException;
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

    @Override
    protected void rewrite(Path folder, String key, byte[] bytes) throws IOException {
        TestServer.change(folder.resolve(key), bytes);
    }

    @AfterEach
    void close() {
        server.close();
    }
}
