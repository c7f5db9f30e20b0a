package io.penstock.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fault.DataException;
import io.penstock.folder.ImageFolder;
import io.penstock.folder.LabelledFile;
import io.penstock.order.Sampler;
import io.penstock.store.http.HttpOptions;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

/**
 * A bucket that fails one request of five in six ways while credentials end again and again. It is read for two epochs,
 * or with {@code -Dpenstock.faults.seconds=600} for ten minutes, in which credentials end every 60 seconds.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class S3FaultsTest {

    private static final Duration LONG = Duration.ofSeconds(Integer.getInteger("penstock.faults.seconds", 0));
    private static final Duration LIFE = Duration.ofSeconds(60); // of credentials in a long run
    private static final int USES = 90; // in a short one
    private static final int OBJECTS = 120;
    private static final HttpOptions PATIENT = HttpOptions.standard()
            .backoff(Duration.ofMillis(100), Duration.ofMillis(800))
            .attempts(30, Duration.ofMinutes(1));

    private final Random random = new Random(11);
    private final AtomicInteger used = new AtomicInteger();
    private final AtomicInteger sessions = new AtomicInteger();
    private final AtomicInteger faults = new AtomicInteger();

    /** As the usual chain, which gives the same credentials until there are others. */
    private final class Chain implements AwsCredentialsProvider {

        private final S3Server server;
        private AwsSessionCredentials current = AwsSessionCredentials.create("session0", "secret", "token");
        private long made;

        Chain(S3Server server) {
            this.server = server;
        }

        @Override
        public synchronized AwsCredentials resolveCredentials() {
            if (!server.accepted.containsKey(current.accessKeyId())) {
                current = AwsSessionCredentials.create("session" + sessions.incrementAndGet(), "secret", "token");
                server.accepted.put(current.accessKeyId(), current);
                made = System.nanoTime();
            }
            return current;
        }

        synchronized boolean hasEnded() {
            int uses = used.incrementAndGet();
            return LONG.isZero() ? uses % USES == 0 : System.nanoTime() - made > LIFE.toNanos();
        }
    }

    private S3Server.Fault fault(int request) {
        if (Math.floorMod(request * 0x9E3779B9, 100) >= 20) {
            return S3Server.Fault.NONE;
        }
        faults.incrementAndGet();
        int kind = request % (S3Server.Fault.PASSING.size() + 1);
        return kind == 0 ? S3Server.Fault.STALE : S3Server.Fault.PASSING.get(kind - 1);
    }

    private void write(S3Server server, int object) {
        byte[] bytes = new byte[3000];
        random.nextBytes(bytes);
        server.objects.put("set/%d/%03d.jpg".formatted(object % 4, object), bytes);
    }

    private static List<Sample<LabelledFile>> epoch(ImageFolder images, int epoch) {
        return Objects.requireNonNull(
                images.stream(Sampler.shuffled(epoch), Execution.standard().inFlight(16))
                        .take(images.size())
                        .collectList()
                        .block());
    }

    private static void requireAllOnceAndRight(S3Server server, List<Sample<LabelledFile>> epoch) {
        assertThat(epoch)
                .extracting(sample -> sample.draw().index())
                .doesNotHaveDuplicates()
                .hasSize(OBJECTS);
        assertThat(epoch)
                .allSatisfy(sample -> assertThat(sample.value().bytes().toByteArray())
                        .isEqualTo(server.objects.get("set/" + sample.value().name())));
    }

    /** A stale list is an error that names the object. Opening the data again gets over it. */
    @Test
    void epochs_underFaultsAndEndingCredentials_haveEverySampleOnceAndRight(@TempDir Path lists) throws IOException {
        int epochs = 0;
        int stale = 0;
        long began = System.nanoTime();
        try (S3Server server = S3Server.start()) {
            for (int i = 0; i < OBJECTS; i++) {
                write(server, i);
            }
            server.accepted.clear();
            Chain chain = new Chain(server);
            server.pageSize(40).faults(request -> {
                if (chain.hasEnded()) {
                    server.accepted.clear();
                }
                return fault(request);
            });
            try (S3Store store = S3Store.signed(server.address("set"), PATIENT, () -> chain)) {
                while (epochs < 2 || stale == 0 || System.nanoTime() - began < LONG.toNanos()) {
                    try {
                        requireAllOnceAndRight(server, epoch(ImageFolder.open(store.keepingLists(lists)), epochs));
                        epochs++;
                        write(server, OBJECTS - 1 - epochs % 40); // behind the page that a kept list is compared with
                    } catch (DataException failure) {
                        assertThat(failure).hasStackTraceContaining("changed since it was listed");
                        stale++;
                    }
                }
            }
        }
        System.out.printf(
                "%d epochs, %s requests, %s faults, %d stale lists, %s sessions%n",
                epochs, used, faults, stale, sessions);
        assertThat(faults.get()).isPositive();
        assertThat(sessions.get()).isGreaterThan(1);
    }
}
