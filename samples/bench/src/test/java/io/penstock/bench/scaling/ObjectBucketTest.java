package io.penstock.bench.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Result;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ObjectBucketTest {

    @BeforeEach
    void giveCredentials() {
        System.setProperty("aws.accessKeyId", "key");
        System.setProperty("aws.secretAccessKey", "secret");
    }

    @AfterEach
    void takeThemBack() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    @Test
    void run_quick_listsOnceAndReads() {
        List<Result> results = new ObjectBucket().run(new BenchOptions(true, null, null, progress -> {}));

        assertThat(results).hasSize(11);
        assertThat(results.get(0).value())
                .as("pages of 3 folders, and of what they are")
                .isBetween(3.0, 8.0);
        assertThat(results.get(2).value()).as("pages at the second start").isEqualTo(1);
        assertThat(results.subList(0, 9)).extracting(Result::value).allMatch(value -> value > 0);
        assertThat(results).extracting(Result::value).allMatch(value -> value >= 0); // the processor's clock is coarse
    }
}
