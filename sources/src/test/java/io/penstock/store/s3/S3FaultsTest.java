package io.penstock.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.folder.ImageFolder;
import io.penstock.folder.LabelledFile;
import io.penstock.order.Sampler;
import io.penstock.store.http.HttpOptions;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

/** A bucket that fails one request of five while credentials end again and again. */
@Timeout(120)
class S3FaultsTest {

    private static final int OBJECTS = 120;
    private static final int USES = 90;
    private static final HttpOptions PATIENT = HttpOptions.standard()
            .backoff(Duration.ofMillis(100), Duration.ofMillis(800))
            .attempts(30, Duration.ofMinutes(1));

    @Test
    void epoch_underFaultsAndEndingCredentials_hasEverySampleOnceAndRight() throws IOException {
        try (S3Server server = S3Server.start()) {
            Random random = new Random(11);
            for (int i = 0; i < OBJECTS; i++) {
                byte[] object = new byte[3000];
                random.nextBytes(object);
                server.objects.put("set/%d/%03d.jpg".formatted(i % 4, i), object);
            }
            S3Server.Fault[] kinds = S3Server.Fault.values();
            AtomicInteger used = new AtomicInteger();
            server.accepted.clear();
            server.pageSize(40).faults(number -> {
                if (used.incrementAndGet() % USES == 0) {
                    server.accepted.clear(); // the session has ended
                }
                return Math.floorMod(number * 0x9E3779B9, 100) < 20
                        ? kinds[1 + number % (kinds.length - 1)]
                        : S3Server.Fault.NONE;
            });
            AtomicInteger sessions = new AtomicInteger();
            AwsCredentialsProvider provider = () -> {
                AwsSessionCredentials next =
                        AwsSessionCredentials.create("session" + sessions.incrementAndGet(), "secret", "token");
                server.accepted.put(next.accessKeyId(), next);
                return next;
            };

            ImageFolder images = ImageFolder.open(S3Store.at(server.address("set"), PATIENT, provider));
            List<Sample<LabelledFile>> epoch = Objects.requireNonNull(
                    images.stream(Sampler.shuffled(3), Execution.standard().inFlight(16))
                            .take(OBJECTS)
                            .collectList()
                            .block());

            assertThat(images.size()).isEqualTo(OBJECTS);
            assertThat(epoch)
                    .extracting(sample -> sample.draw().index())
                    .doesNotHaveDuplicates()
                    .hasSize(OBJECTS);
            assertThat(epoch)
                    .allSatisfy(sample -> assertThat(sample.value().bytes().toByteArray())
                            .isEqualTo(
                                    server.objects.get("set/" + sample.value().name())));
            assertThat(sessions.get()).isGreaterThan(1);
        }
    }
}
