package io.penstock.store.mirror;

import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.http.HttpStore;
import io.penstock.store.http.TestServer;
import io.penstock.testkit.StoreKit;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

class MirroredStoreKitTest {

    abstract static class Kit extends StoreKit {

        @TempDir
        @SuppressWarnings("NullAway.Init")
        private Path directory;

        private @Nullable MirroredStore store;

        abstract MirroredStore open(Path folder, Path directory);

        @Override
        protected Store open(Path folder) {
            MirroredStore opened = open(folder, directory);
            store = opened;
            return opened;
        }

        @AfterEach
        void close() {
            if (store != null) {
                store.close();
            }
        }
    }

    @Nested
    class OverFiles extends Kit {
        @Override
        MirroredStore open(Path folder, Path directory) {
            return MirroredStore.of(FileStore.open(folder), directory);
        }
    }

    @Nested
    class InBackground extends Kit {
        @Override
        MirroredStore open(Path folder, Path directory) {
            return MirroredStore.of(FileStore.open(folder), directory).inBackground();
        }
    }

    @Nested
    class OverAMirror extends Kit {
        @TempDir
        @SuppressWarnings("NullAway.Init")
        private Path nearer;

        @Override
        MirroredStore open(Path folder, Path directory) {
            return MirroredStore.of(MirroredStore.of(FileStore.open(folder), nearer), directory);
        }
    }

    @Nested
    class OverHttp extends Kit {
        private @Nullable TestServer server;

        @Override
        protected void rewrite(Path folder, String key, byte[] bytes) throws IOException {
            TestServer.change(folder.resolve(key), bytes);
        }

        @Override
        MirroredStore open(Path folder, Path directory) {
            TestServer started = TestServer.withManifest(folder, 0);
            server = started;
            return MirroredStore.of(HttpStore.at(started.address()).manifest("manifest.jsonl"), directory);
        }

        @AfterEach
        void stop() {
            if (server != null) {
                server.close();
            }
        }
    }
}
