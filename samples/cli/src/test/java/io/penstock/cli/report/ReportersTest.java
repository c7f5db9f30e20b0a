package io.penstock.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cli.console.Output;
import io.penstock.order.Position;
import io.penstock.pipeline.RunStatistics;
import io.penstock.resume.ResumeToken;
import io.penstock.stream.LoadsInFlight;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportersTest {

    private static final LoadsInFlight LOADS = new LoadsInFlight(62, LoadsInFlight.Bound.PACE);

    private static final ResumeToken TOKEN = ResumeToken.parse(
            "{\"v\":3,\"seed\":42,\"epoch\":0,\"offset\":0,\"samples\":1000,\"order\":\"shuffled\",\"shard\":\"global\","
                    + "\"source\":\"0123456789abcdef\",\"stages\":[\"01234567\"]}");

    private final StringWriter written = new StringWriter();
    private final Output out = new Output(new PrintWriter(written));

    @Test
    void json_ofAnEpoch_hasTheKeysOfTheContractInOrder() {
        new JsonReporter(out, false).epoch(epoch(Map.of("ram", 10L), new EpochReport.Digests(0xabcL, -1)));

        assertThat(written).hasToString("""
                {"event":"epoch","epoch":0,"samples":1000,"batches":16,"bytes":150528000,"seconds":1.52,\
                "samples_per_second":657.9,"first_batch_seconds":0.11,"loads":990,"hits":{"ram":10,"disk":0},\
                "misses":990,"skipped":3,"order_digest":"0000000000000abc","content_digest":"ffffffffffffffff"}
                """);
    }

    @Test
    void json_withoutDigestOrCache_leavesDigestsOutAndHitsIn() {
        new JsonReporter(out, false).epoch(epoch(Map.of(), null));

        assertThat(written.toString()).doesNotContain("digest").contains("\"hits\":{\"ram\":0,\"disk\":0}");
    }

    @Test
    void json_ofARun_endsWithTheToken() {
        ResumeToken token = TOKEN.at(new Position(3, 0));

        new JsonReporter(out, false).done(new RunReport(3, 1.9, token, 0, "all is \"well\"", LOADS, null, null));

        assertThat(written)
                .hasToString("{\"event\":\"done\",\"epochs\":3,\"seconds\":1.9,\"resume\":\""
                        + token.toString().replace("\"", "\\\"")
                        + "\",\"verdict\":\"all is \\\"well\\\"\",\"in_flight\":62,\"in_flight_by\":\"pace\"}\n");
    }

    @Test
    void json_ofVerifiedHits_countsThem() {
        RunStatistics statistics = new RunStatistics(990, Map.of(), 990, 0, 12, 3, List.of(), List.of());

        new JsonReporter(out, true)
                .epoch(new EpochReport(0, 1000, 16, 1, 1.5, 0.1, 0.1, statistics, null, null, List.of()));

        assertThat(written.toString()).contains("\"verified\":12,\"differing\":3");
    }

    @Test
    void json_ofAdviceAndHeadroom_hasTheirFigures() {
        ResumeToken token = TOKEN.at(new Position(3, 0));
        Advice advice = new Advice(0.5, 1000, List.of(new Advice.Budget("ram", 800, 0.4, 12.5)));

        new JsonReporter(out, false).headroom(new Headroom.Report(8, 5120, 0.5), "counting batches");
        new JsonReporter(out, false).done(new RunReport(1, 1, token, 0, "well", LOADS, null, advice));

        assertThat(written.toString().lines().toList().get(0))
                .isEqualTo("{\"event\":\"headroom\",\"consumer\":\"counting batches\",\"batches\":8,"
                        + "\"samples\":5120,\"seconds\":0.5,\"samples_per_second\":10240.0}");
        assertThat(written.toString().lines().toList().get(1))
                .endsWith(",\"advice\":{\"enough_share\":0.5,\"enough_bytes\":1000,\"budgets\":"
                        + "[{\"cache\":\"ram\",\"bytes\":800,\"share\":0.4,\"epoch_seconds\":12.5}]}}");
    }

    @Test
    void table_ofTwoEpochs_hasOneHeadAndTheFigures() {
        TableReporter table = new TableReporter(out, Path.of("bad.jsonl"));
        ResumeToken token = TOKEN.at(new Position(2, 0));

        table.epoch(epoch(Map.of("ram", 10L), null));
        table.epoch(epoch(Map.of("ram", 10L), null));
        table.done(new RunReport(2, 3.04, token, 6, "all is well", LOADS, null, null));

        List<String> lines = written.toString().lines().toList();
        assertThat(lines).hasSize(5);
        assertThat(lines.get(0)).startsWith("epoch   samples").doesNotContain("digest");
        assertThat(lines.get(1).strip().split("\\s+"))
                .containsExactly("0", "1000", "1.52", "658", "99.0", "0.110", "s", "990", "10", "0", "990", "3");
        assertThat(lines.get(3)).isEqualTo("skipped: 6 samples, listed in bad.jsonl");
        assertThat(lines.get(4)).isEqualTo("verdict: all is well");
    }

    @Test
    void output_thatNobodyReads_isNoticed() {
        Writer closed = new Writer() {
            @Override
            public void write(char[] buffer, int offset, int length) throws IOException {
                throw new IOException("Broken pipe");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };

        assertThatThrownBy(() -> new Output(new PrintWriter(closed)).line("anyone?"))
                .isInstanceOf(Output.Failed.class);
    }

    private static EpochReport epoch(Map<String, Long> hits, EpochReport.Digests digests) {
        return new EpochReport(
                0,
                1000,
                16,
                150_528_000,
                1.52,
                0.11,
                0.01,
                new RunStatistics(990, hits, 990, 3, List.of()),
                digests,
                null,
                List.of());
    }
}
