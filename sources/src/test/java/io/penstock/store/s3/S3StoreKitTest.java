package io.penstock.store.s3;

import io.penstock.store.Store;
import io.penstock.store.http.HttpOptions;
import io.penstock.testkit.StoreKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

class S3StoreKitTest extends StoreKit {

    @SuppressWarnings("NullAway.Init")
    private S3Server server;

    @Override
    protected Store open(Path folder) throws IOException {
        server = S3Server.start();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                server.objects.put("set/" + folder.relativize(file), Files.readAllBytes(file));
            }
        }
        return S3Store.at(
                server.address("set"), HttpOptions.standard(), StaticCredentialsProvider.create(S3Server.KEYS));
    }

    @Override
    protected void rewrite(Path folder, String key, byte[] bytes) {
        server.objects.put("set/" + key, bytes);
    }

    @AfterEach
    void close() {
        server.close();
    }
}
