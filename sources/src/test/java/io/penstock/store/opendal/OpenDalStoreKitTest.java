package io.penstock.store.opendal;

import io.penstock.store.Store;
import io.penstock.testkit.StoreKit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

class OpenDalStoreKitTest {

    abstract static class Served extends StoreKit {

        private final Function<CloudServer, CloudAddress> address;

        @SuppressWarnings("NullAway.Init")
        private CloudServer server;

        @SuppressWarnings("NullAway.Init")
        private OpenDalStore store;

        Served(Function<CloudServer, CloudAddress> address) {
            this.address = address;
        }

        @Override
        protected Store open(Path folder) throws IOException {
            server = CloudServer.start();
            server.putAll(folder);
            store = OpenDalStore.at(address.apply(server));
            return store;
        }

        @Override
        protected void rewrite(Path folder, String key, byte[] bytes) {
            server.put("set/" + key, bytes);
        }

        @AfterEach
        void close() {
            store.close();
            server.close();
        }
    }

    @Nested
    class WebDav extends Served {

        WebDav() {
            super(CloudServer::webdav);
        }
    }

    @Nested
    class WebHdfs extends Served {

        WebHdfs() {
            super(CloudServer::webhdfs);
        }
    }

    @Nested
    class GoogleCloud extends Served {

        GoogleCloud() {
            super(CloudServer::gcs);
        }
    }
}
