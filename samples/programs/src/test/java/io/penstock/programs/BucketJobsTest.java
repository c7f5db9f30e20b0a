package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pictures.Photograph;
import io.penstock.store.s3.S3Store;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The job that docs/sources.md shows of a bucket, in processes that are killed with {@code kill -9} and started again. */
@Tag("endurance")
class BucketJobsTest {

    /** The server's own file of an object, until it renames it: S3 itself shows none. */
    private static final String BEING_MADE = ".*-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    private static final int PICTURES = 96;
    private static final int KILLED = 128 + 9;

    /** {@code -Dpenstock.kills=30} for more. */
    private static final int KILLS = Integer.getInteger("penstock.kills", 2);

    @SuppressWarnings("NullAway.Init")
    private static TestBucket bucket;

    @BeforeAll
    static void fill() throws Exception {
        bucket = TestBucket.start();
        List<byte[]> pictures = IntStream.range(0, PICTURES)
                .mapToObj(i -> Photograph.of(i).jpeg())
                .toList();
        bucket.put("pictures/part-0.parquet", PictureTable.of(pictures, 0, 10));
    }

    @AfterAll
    static void stop() {
        bucket.close();
    }

    /** All objects below a prefix, by their keys. */
    private static Map<String, ByteBuffer> objects(String prefix) {
        Map<String, ByteBuffer> objects = new TreeMap<>();
        try (S3Store store = bucket.store(prefix)) {
            for (String key : bucket.list(prefix).keySet()) {
                if (!key.matches(BEING_MADE)) {
                    objects.put(
                            key, Objects.requireNonNull(store.find(key, 1 << 28).block(), key));
                }
            }
        }
        return objects;
    }

    private static List<String> job(String prefix) {
        return List.of(
                "materialize",
                "--source",
                "parquet:s3://data/pictures#image:picture,label:label",
                "--resize",
                "224",
                "--shard-samples",
                "60", // more than 8 MiB, which goes up in parts
                "--to",
                "tar:s3://data/" + prefix);
    }

    private static int finished(String prefix) throws IOException, InterruptedException {
        Process process = bucket.start(job(prefix));
        process.getInputStream().readAllBytes();
        return process.waitFor();
    }

    /** Kills the job somewhere behind its next request that changes the bucket. */
    private static void kill(String prefix, Random random) throws IOException, InterruptedException {
        int objects = bucket.list(prefix).size();
        int uploads = bucket.unfinishedUploads();
        Process process = bucket.start(job(prefix));
        while (process.isAlive()
                && bucket.unfinishedUploads() == uploads
                && bucket.list(prefix).size() == objects) {
            Thread.onSpinWait();
        }
        boolean ended = process.waitFor(random.nextInt(400), TimeUnit.MILLISECONDS);
        process.destroyForcibly();
        if (!ended) {
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(KILLED);
        }
    }

    @Test
    void jobIntoABucket_killedAtRandom_leavesWholeShardsAndGoesOn() throws Exception {
        assertThat(finished("once")).isZero();
        Map<String, ByteBuffer> expected = objects("once");
        Random random = new Random(5);

        for (int i = 0; i < KILLS; i++) {
            kill("again", random);
            assertThat(expected).containsAllEntriesOf(objects("again"));
        }
        int uploads = bucket.unfinishedUploads(); // of the killed ones
        int status = finished("again");

        assertThat(status).isZero();
        assertThat(bucket.unfinishedUploads()).isEqualTo(uploads);
        assertThat(objects("again")).isEqualTo(expected).hasSize(3); // two shards, and what they are made of
    }
}
