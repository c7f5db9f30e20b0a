package io.penstock.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressLineTest {

    private final StringWriter written = new StringWriter();

    @Test
    void line_inTheMiddle_saysRateAndTimeLeft() {
        String line = ProgressLine.line("epoch 2 of 3", 1500, 3000, "samples", 10, "hits 98 %");

        assertThat(line).isEqualTo("epoch 2 of 3 [##########----------]  50 %  150 samples/s  hits 98 %  ETA 10 s");
    }

    @Test
    void line_atTheBeginning_promisesNothing() {
        String line = ProgressLine.line("waiting", 0, 3000, "samples", 0, "");

        assertThat(line).isEqualTo("waiting [--------------------]   0 %  0 samples/s");
    }

    @Test
    void line_withALongWayToGo_saysHours() {
        assertThat(ProgressLine.line("epoch 1 of 9", 1, 9001, "samples", 1, "")).endsWith("ETA 2 h 30 min");
        assertThat(ProgressLine.line("epoch 1 of 9", 1, 91, "samples", 1, "")).endsWith("ETA 1 min 30 s");
    }

    @Test
    void progress_withoutATerminal_writesNothing() {
        ProgressLine progress = new ProgressLine(new PrintWriter(written), false, 10);

        progress.show("epoch 1 of 1", 5, "samples", "");
        progress.clear();

        assertThat(written.toString()).isEmpty();
        assertThat(progress.isDue()).isFalse();
    }

    @Test
    void progress_onATerminal_isTakenOffAgain() {
        ProgressLine progress = new ProgressLine(new PrintWriter(written), true, 10);

        progress.show("epoch 1 of 1", 5, "samples", "");
        progress.clear();

        assertThat(written.toString())
                .startsWith("\r\u001b[Kepoch 1 of 1")
                .endsWith("\r\u001b[K")
                .doesNotContain("\n");
    }

    @Test
    void progress_forAProgram_isToldAndNotWritten() {
        List<Long> told = new ArrayList<>();
        ProgressLine progress = ProgressLine.toldTo(told::add, new PrintWriter(written), 10);

        progress.show("writing shards", 5, "samples", "");
        progress.clear();

        assertThat(told).containsExactly(5L);
        assertThat(written.toString()).isEmpty();
    }
}
