package io.penstock.store.s3;

import io.penstock.store.Store;
import io.penstock.store.opendal.CloudAddress;
import io.penstock.store.opendal.OpenDalStore;
import io.penstock.testkit.StoreKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** S3 as OpenDAL reads it. */
class OpenDalS3KitTest extends StoreKit {

    @SuppressWarnings("NullAway.Init")
    private S3Server server;

    @Override
    protected Store open(Path folder) throws IOException {
        server = S3Server.start().open();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                server.objects.put("set/" + folder.relativize(file), Files.readAllBytes(file));
            }
        }
        return OpenDalStore.at(CloudAddress.parse(
                "opendal+s3://data/set?region=us-east-1&allow_anonymous=true&disable_config_load=true&disable_ec2_metadata=true"
                        + "&endpoint="
                        + server.endpoint()));
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
