package io.penstock.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.blockhound.BlockHound;

/** Neither Netty's threads nor those that stack batches ever wait. */
@Tag("blockhound")
class BatchServerBlockHoundTest {

    @TempDir
    private Path temporary;

    @BeforeAll
    static void watch() {
        assumeTrue(
                ManagementFactory.getRuntimeMXBean()
                        .getInputArguments()
                        .contains("-XX:+AllowRedefinitionToAddDeleteMethods"),
                "BlockHound needs -XX:+AllowRedefinitionToAddDeleteMethods: run the build's own execution");
        BlockHound.install();
    }

    @Test
    void server_ofTwoConsumersAndOneThatLeaves_neverBlocks() throws Exception {
        CountedFeed feed = new CountedFeed(400, 10_000, 1);
        try (BatchServer server = ServerPlan.of(feed).start();
                Consumer first = new Consumer(server.address(), "")) {
            List<Integer> seen = new ArrayList<>(first.next());
            try (Consumer leaves = new Consumer(server.address(), "?resume=" + first.token())) {
                leaves.next();
            }
            seen.addAll(first.rest());

            assertThat(seen).isEqualTo(BatchServerTest.order(400));
        }
    }

    @Test
    void sharedMemory_neverBlocksThem() throws Exception {
        assertThat(takenFromSharedMemory("/shared", "/shared?done=%d")).isEqualTo(100);
    }

    @Test
    void announcements_neverBlockThem() throws Exception {
        assertThat(takenFromSharedMemory("/shared?board=1", "/shared?done=%d&next=%<d"))
                .isEqualTo(100);
    }

    private int takenFromSharedMemory(String first, String next) throws Exception {
        CountedFeed feed = new CountedFeed(400, 10_000, 1);
        int batches = 0;
        try (BatchServer server =
                        ServerPlan.of(feed).shared(temporary.resolve("shared")).start();
                Talk talk = new Talk(server.address())) {
            String question = first;
            while (!talk.ask(question).json().has("end")) {
                batches++;
                question = next.formatted(batches);
            }
        }
        return batches;
    }
}
