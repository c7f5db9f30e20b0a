package io.penstock.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.pictures.PictureFolder;
import io.penstock.resume.ResumeToken;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams that are not in order, from a server whose faults make some answers slow. */
class SlowSamplesTest {

    private static final int EPOCHS = 2;

    @TempDir
    private Path folder;

    @Test
    void unorderedRun_stoppedAndResumed_deliversEverySampleOnce() {
        PictureFolder.write(folder, 40).blockLast();
        try (FileServer server = FileServer.of(folder)
                .faults(Faults.parse("status=503:0.15", 7))
                .manifest()
                .start()) {
            String flags = "--source http:%smanifest.jsonl --resize 16 --digest --batch 3 --epochs %d --world 2"
                    .formatted(server.address(), EPOCHS);
            for (int rank = 0; rank < 2; rank++) {
                String own = flags + " --rank " + rank;
                Cli whole = Cli.stream(own);
                List<String> tokens = new ArrayList<>();
                long[] content = new long[EPOCHS];

                String going = own + " --unordered 12 --in-flight 4";
                Cli part = Cli.stream(going + " --stop-after 2");
                add(part, content);
                while (!part.resume().isEmpty()
                        && ResumeToken.parse(part.resume()).position().epoch() < EPOCHS) {
                    tokens.add(part.resume());
                    part = Cli.run(("stream --json " + going + " --stop-after 2 --resume " + part.resume()).split(" "));
                    add(part, content);
                }

                assertThat(content).containsExactly(whole.content(0), whole.content(1));
                String ahead = tokens.stream()
                        .filter(token -> token.contains("\"ahead\""))
                        .findFirst()
                        .orElseThrow();
                Cli other = Cli.run(("stream " + flags + " --rank " + (1 - rank) + " --resume " + ahead).split(" "));
                assertThat(other.status()).isEqualTo(2);
                assertThat(other.err()).contains("another rank or world size", "end the epoch first");
                Cli served = Cli.run(("serve " + own.replace(" --digest", "") + " --resume " + ahead).split(" "));
                assertThat(served.status()).isEqualTo(2);
                assertThat(served.err()).contains("the token is of an unordered run, within an epoch");
                Cli explained = Cli.run(("explain " + own + " --step 0 --resume " + ahead).split(" "));
                assertThat(explained.status()).isEqualTo(2);
                assertThat(explained.err()).contains("is a token of an unordered run");
            }
        }
    }

    private static void add(Cli run, long[] content) {
        run.epochs().forEach(epoch -> {
            int number = epoch.path("epoch").asInt();
            content[number] +=
                    Long.parseUnsignedLong(epoch.path("content_digest").asText(), 16);
        });
    }

    @Test
    void unordered_outsideItsRangeOrWhereOrderIsComputed_isRefused() {
        String source = " --source images:" + folder;

        assertThat(Cli.run(("stream --unordered 0" + source).split(" ")).err()).contains("--unordered", "[1, 16384]");
        assertThat(Cli.run(("serve --unordered 8" + source).split(" ")).err()).contains("--unordered is for stream");
        assertThat(Cli.run(("explain --step 0 --unordered 8" + source).split(" "))
                        .err())
                .contains("--unordered is for stream");
    }
}
