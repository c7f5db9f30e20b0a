package io.penstock.cli.materialize;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.cli.TestRedis;
import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code materialize --to redis:URI}, into a real server. */
class MaterializeToRedisTest {

    private static final int IMAGES = 24;

    @TempDir
    private Path folder;

    private Cli materialize(String flags) {
        return Cli.run("materialize --json --source images:%s --resize 32 %s"
                .formatted(folder.resolve("train"), flags)
                .split(" "));
    }

    private Cli stream(String flags) {
        return Cli.stream(
                "--source images:%s --resize 32 --digest --epochs 2 %s".formatted(folder.resolve("train"), flags));
    }

    private void makePictures() {
        PictureFolder.write(folder.resolve("train"), IMAGES).blockLast();
    }

    @Test
    void materialize_byTwoRanks_leavesNothingToLoad() throws IOException {
        makePictures();
        try (TestRedis redis = TestRedis.in(Files.createDirectory(folder.resolve("server")))) {
            String to = "--to redis:" + redis.uri();

            Cli first = materialize(to + " --rank 0 --world 2");
            Cli second = materialize(to + " --rank 1 --world 2");
            Cli again = materialize(to);
            Cli run = stream("--cache-redis " + redis.uri());

            assertThat(first.err()).isEmpty();
            assertThat(first.done().path("loaded").asInt()).isEqualTo(IMAGES / 2);
            assertThat(second.done().path("loaded").asInt()).isEqualTo(IMAGES / 2);
            assertThat(again.status()).isZero();
            assertThat(again.done().path("already").asInt()).isEqualTo(IMAGES);
            assertThat(again.done().path("loaded").asInt()).isZero();
            assertThat(again.done().path("full").asBoolean()).isFalse();
            assertThat(run.epochs())
                    .extracting(epoch -> epoch.path("loads").asInt())
                    .containsExactly(0, 0);
            assertThat(run.content(0)).isEqualTo(stream("").content(0));
        }
    }

    @Test
    void materialize_intoAServerWithLittleRoom_failsAndSaysHowManyAreThere() throws IOException {
        makePictures();
        try (TestRedis redis = TestRedis.in(
                Files.createDirectory(folder.resolve("server")), "maxmemory 1200kb", "maxmemory-policy noeviction")) {
            Cli run = Cli.run("materialize --json --source images:%s --resize 200 --to redis:%s --in-flight 2"
                    .formatted(folder.resolve("train"), redis.uri())
                    .split(" "));
            Cli read = Cli.stream(
                    "--source images:%s --resize 200 --cache-redis %s".formatted(folder.resolve("train"), redis.uri()));

            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err())
                    .contains("%d of %d samples are not in the cache"
                            .formatted(IMAGES - run.done().path("loaded").asInt(), IMAGES));
            assertThat(run.done().path("full").asBoolean()).isTrue();
            assertThat(run.done().path("loaded").asInt()).isBetween(1, IMAGES - 1);
            assertThat(read.epoch(0).path("hits").path("redis").asInt())
                    .isEqualTo(run.done().path("loaded").asInt());
        }
    }

    @Test
    void materialize_withoutAServer_failsInALine() {
        makePictures();

        Cli run = materialize("--to redis:redis://127.0.0.1:1?timeout=1s");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("cannot look into the redis cache at").hasLineCount(1);
    }
}
