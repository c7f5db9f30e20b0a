package io.penstock.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import io.penstock.store.opendal.CloudAddress;
import io.penstock.store.opendal.OpenDalStore;
import io.penstock.testkit.StoreKit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    @Test
    void read_ofAllBytesWhoseDigestIsTheTag_asksNothingElse(@TempDir Path empty) throws IOException {
        Store store = open(empty);
        byte[] first = {1, 2, 3};
        byte[] second = {4, 5, 6};
        server.objects.put("set/a", first);
        StoreEntry entry = store.entry("a").block();

        server.requests.set(0);
        assertThat(store.read(entry).block()).isEqualTo(ByteBuffer.wrap(first));
        assertThat(server.requests).hasValue(1);
        assertThat(store.read(entry, 0, 2).block()).isEqualTo(ByteBuffer.wrap(first, 0, 2));
        assertThat(server.requests).hasValue(3);

        server.objects.put("set/a", second);
        assertThatThrownBy(() -> store.read(entry).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("a in " + store.location() + " is not as it was listed");
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
