package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.Fingerprint;
import io.penstock.pipeline.Position;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResumeTokenTest {

    private static final Fingerprint SOURCE = Fingerprint.of("folder", "here");
    private static final PlanPrint PLAN = PlanPrint.of(SOURCE, SOURCE.with("map decode"), "shuffled");

    @Property
    void token_ofAnyPosition_isReadBack(
            @ForAll long seed, @ForAll @LongRange(min = 0) long epoch, @ForAll @LongRange(min = 0) long offset) {
        ResumeToken token = new ResumeToken(seed, new Position(epoch, offset), PLAN);

        assertThat(ResumeToken.parse(token.toString())).isEqualTo(token);
    }

    @Test
    void token_inAFile_isReadFromThere(@TempDir Path folder) throws IOException {
        ResumeToken token = new ResumeToken(42, new Position(1, 640), PLAN);
        Path file = Files.writeString(folder.resolve("token.json"), token + "\n");

        assertThat(ResumeToken.parse("@" + file)).isEqualTo(token);
    }

    @Test
    void token_inAMissingFile_namesTheFile(@TempDir Path folder) {
        assertThatThrownBy(() -> ResumeToken.parse("@" + folder.resolve("none.json")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no such file")
                .hasMessageContaining("none.json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "garbage",
                "{}",
                "[1]",
                "null",
                "{\"v\":1}",
                "{\"v\":1,\"seed\":1,\"epoch\":-1,\"offset\":0,\"plan\":\"000000000000000000000000000000000000000000000000\"}",
                "{\"v\":1,\"seed\":1,\"epoch\":0,\"offset\":99999999999999999999,\"plan\":\"000000000000000000000000000000000000000000000000\"}",
                "{\"v\":1,\"seed\":\"1\",\"epoch\":0,\"offset\":0,\"plan\":\"000000000000000000000000000000000000000000000000\"}",
                "{\"v\":1,\"seed\":1,\"epoch\":0,\"offset\":0,\"plan\":\"abc\"}",
                "{\"v\":0,\"seed\":1,\"epoch\":0,\"offset\":0,\"plan\":\"000000000000000000000000000000000000000000000000\"}"
            })
    void parse_garbage_saysThatItIsNoToken(String text) {
        assertThatThrownBy(() -> ResumeToken.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("this is no resume token");
    }

    @Test
    void parse_aLaterVersion_saysWhichIsRead() {
        String later = new ResumeToken(1, Position.START, PLAN).toString().replace("\"v\":1", "\"v\":2");

        assertThatThrownBy(() -> ResumeToken.parse(later))
                .hasMessageContaining("version 2")
                .hasMessageContaining("reads version 1");
    }

    @Test
    void requireMadeBy_theSamePlan_isContent() {
        ResumeToken token = new ResumeToken(42, new Position(1, 640), PLAN);

        assertThatCode(() -> token.requireMadeBy(PLAN, 42, 1000)).doesNotThrowAnyException();
    }

    @Test
    void requireMadeBy_anotherPlan_saysWhatDiffers() {
        ResumeToken token = new ResumeToken(42, new Position(1, 640), PLAN);
        Fingerprint elsewhere = Fingerprint.of("folder", "there");

        assertThatThrownBy(() -> token.requireMadeBy(
                        PlanPrint.of(elsewhere, elsewhere.with("map decode"), "shuffled"), 42, 1000))
                .hasMessageContaining("other data")
                .hasMessageNotContaining("stages");
        assertThatThrownBy(
                        () -> token.requireMadeBy(PlanPrint.of(SOURCE, SOURCE.with("map crop"), "shuffled"), 42, 1000))
                .hasMessageContaining("other stages")
                .hasMessageNotContaining("data");
        assertThatThrownBy(() ->
                        token.requireMadeBy(PlanPrint.of(SOURCE, SOURCE.with("map decode"), "sequential"), 42, 1000))
                .hasMessageContaining("another order");
        assertThatThrownBy(() -> token.requireMadeBy(PLAN, 7, 1000))
                .hasMessageContaining("--seed 42")
                .hasMessageContaining("--seed 7");
        assertThatThrownBy(() -> token.requireMadeBy(PLAN, 42, 639))
                .hasMessageContaining("sample 640 of an epoch of 639");
    }
}
