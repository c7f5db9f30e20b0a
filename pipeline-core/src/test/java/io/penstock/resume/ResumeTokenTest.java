package io.penstock.resume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.ShardMode;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.FakeDataset;
import io.penstock.pipeline.FakeTier;
import io.penstock.pipeline.Pipeline;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResumeTokenTest {

    private static final Pipeline<Tensor> PLAN = FakeDataset.immediate(1_000)
            .map("double", value -> value)
            .augment("roll", (value, random) -> value)
            .map("halve", value -> value);
    private static final Sampler SAMPLER = Sampler.shuffled(42).epochs(3);
    private static final ResumeToken TOKEN = ResumeToken.of(PLAN, SAMPLER);

    @Property
    void token_ofAnyPosition_isReadBack(
            @ForAll long seed,
            @ForAll @LongRange(min = 0) long epoch,
            @ForAll @LongRange(min = 0, max = 1_000) long offset) {
        for (ShardMode mode : new ShardMode[] {ShardMode.global(), ShardMode.stable(), ShardMode.reshardEvery(3)}) {
            ResumeToken token = ResumeToken.of(
                            PLAN, SAMPLER.seed(seed).mode(mode).shard(Shard.of(1, 4)))
                    .at(new Position(epoch, offset));

            assertThat(ResumeToken.parse(token.toString())).isEqualTo(token);
            assertThat(token.position()).isEqualTo(new Position(epoch, offset));
            assertThat(token.seed()).isEqualTo(seed);
        }
    }

    @Test
    void token_withTheSamePlan_goesOnThere() {
        Sampler resumed = TOKEN.at(new Position(1, 640)).resume(SAMPLER.shard(Shard.of(2, 3)), PLAN);

        assertThat(resumed.start()).isEqualTo(new Position(1, 640));
        assertThat(resumed.shard()).isEqualTo(Shard.of(2, 3));
    }

    @Test
    void token_ofAnotherPlan_saysWhatDiffers() {
        ResumeToken token = TOKEN.at(new Position(1, 640));

        assertThatThrownBy(() -> token.resume(
                        SAMPLER,
                        FakeDataset.immediate(999)
                                .map("double", value -> value)
                                .augment("roll", (value, random) -> value)
                                .map("halve", value -> value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the resume token is of another plan: "
                        + "other data: the source, or files that were changed, added or removed");
        assertThatThrownBy(() -> token.resume(SAMPLER.seed(7), PLAN))
                .hasMessage("the resume token is of another plan: another seed: 42 there, 7 here");
        assertThatThrownBy(() -> token.resume(Sampler.windowed(42, 8), PLAN))
                .hasMessage(
                        "the resume token is of another plan: another order: shuffled there, windowed 8 interleaved 64 here");
        assertThatThrownBy(() -> token.resume(SAMPLER.limit(900), PLAN))
                .hasMessageContaining("epochs of another size: 1000 samples there, 900 here");
        assertThatThrownBy(() -> token.resume(
                        SAMPLER.mode(ShardMode.stable().partitions(4)).seed(1), PLAN))
                .hasMessageContaining("another seed")
                .hasMessageContaining("another shard mode, in the middle of an epoch: global there, stable:4 here");
    }

    @Test
    void token_ofOtherStages_namesTheFirst() {
        Dataset<Tensor> source = FakeDataset.immediate(1_000);
        Pipeline<Tensor> two = source.map("double", value -> value).augment("roll", (value, random) -> value);

        assertThatThrownBy(() -> TOKEN.resume(SAMPLER, two.map("third", value -> value)))
                .hasMessageContaining("other stages: number 3 here is \"map third\", which it was not");
        assertThatThrownBy(() -> TOKEN.resume(SAMPLER, two))
                .hasMessageContaining("other stages: 3 there, of which only the first 2 are here");
        assertThatThrownBy(() -> TOKEN.resume(SAMPLER, PLAN.map("more", value -> value)))
                .hasMessageContaining("other stages: \"map more\" is one too many");
    }

    @Test
    void token_ofAStableRun_bringsItsPartitions() {
        Sampler stable = SAMPLER.mode(ShardMode.stable());
        ResumeToken token = ResumeToken.of(PLAN, stable.shard(Shard.of(0, 8))).at(new Position(0, 80));

        assertThat(token.mode()).isEqualTo(ShardMode.stable().partitions(8));
        assertThat(token.resume(stable.shard(Shard.of(0, 3)), PLAN).mode())
                .isEqualTo(ShardMode.stable().partitions(8));
        assertThatThrownBy(() -> token.resume(stable.mode(ShardMode.stable().partitions(3)), PLAN))
                .hasMessageContaining("stable:8 there, stable:3 here");
        assertThatThrownBy(() -> token.resume(stable.mode(ShardMode.reshardEvery(2)), PLAN))
                .hasMessageContaining("stable:8 there, reshard=2 here");
    }

    @Test
    void token_betweenEpochs_goesWithAnyShardMode() {
        ResumeToken token =
                ResumeToken.of(PLAN, SAMPLER.mode(ShardMode.stable())).at(new Position(2, 0));
        Sampler other = SAMPLER.mode(ShardMode.stable().partitions(3));

        assertThat(token.resume(other, PLAN).mode()).isEqualTo(other.mode());
        assertThat(token.resume(SAMPLER, PLAN).mode()).isEqualTo(ShardMode.global());
    }

    @Test
    void token_ofThePlanWithACache_isThatOfThePlan() {
        Dataset<Tensor> source = FakeDataset.immediate(10);
        Dataset<Tensor> cached =
                source.map("double", value -> value).cache(new FakeTier("fake"), Schema.tensor("value"));

        assertThat(ResumeToken.of(cached, SAMPLER))
                .isEqualTo(ResumeToken.of(source.map("double", value -> value), SAMPLER));
    }

    @Test
    void save_overAnEarlierToken_leavesOneFile(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("run.token");

        TOKEN.save(file);
        TOKEN.at(new Position(2, 17)).save(file);

        assertThat(ResumeToken.load(file)).isEqualTo(TOKEN.at(new Position(2, 17)));
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void files_thatCannotBeUsed_areNamed(@TempDir Path folder) throws IOException {
        Path large = Files.write(folder.resolve("large"), new byte[1 << 17]);

        assertThatThrownBy(() -> ResumeToken.load(folder.resolve("none")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("none");
        assertThatThrownBy(() -> ResumeToken.load(large)).hasMessageContaining("it has more than 65536 bytes");
        assertThatThrownBy(() -> ResumeToken.load(Path.of("/dev/zero"))).hasMessageContaining("/dev/zero");
        assertThatThrownBy(() -> TOKEN.save(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("a file was wanted, a folder or a device is there");
        assertThatThrownBy(() -> TOKEN.save(folder.resolve("no").resolve("token")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("cannot save the resume token");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "garbage",
                "{}",
                "[1]",
                "null",
                "{\"v\":3}",
                "{\"v\":3,",
                "{\"v\":3} more",
                "{\"v\":\"2\"}",
                "{\"v\":3,\"seed\":99999999999999999999}",
                "{\"v\":3,\"stages\":[\"a\",1]}"
            })
    void parse_garbage_saysThatItIsNoToken(String text) {
        assertThatThrownBy(() -> ResumeToken.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("this is no resume token");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"epoch\":0->\"epoch\":-1",
                "\"offset\":0->\"offset\":1001",
                "\"offset\":0->\"offset\":-1",
                "\"seed\":42->\"seed\":\"42\"",
                "\"stages\":[\"->\"stages\":[\"x",
                "\"source\":\"->\"source\":\"x",
                "\"samples\"->\"sample\"",
                "\"order\"->\"ordre\"",
                "\"seed\"->\"se\\\\u0065d\""
            })
    void parse_aDamagedToken_isRefused(String change) {
        String[] parts = change.split("->", -1);
        String damaged = TOKEN.toString().replace(parts[0], parts[1]);

        assertThat(damaged).isNotEqualTo(TOKEN.toString());
        assertThatThrownBy(() -> ResumeToken.parse(damaged))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("this is no resume token");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"offset\":0    | \"offset\":2001   | \"offset\" must be a number in [0, 1000], was 2001",
                "\"epoch\":0     | \"epoch\":-3      | \"epoch\" must be a number from 0 on, was -3",
                "\"seed\":42     | \"seed\":\"x\"     | \"seed\" must be a whole number, was x",
                "\"samples\"     | \"sample\"        | it has no \"samples\"",
                "\"source\":\"   | \"source\":\"x     | \"source\" must be 16 hexadecimal digits, was x",
                "\"stages\":[    | \"stages\":[\"x\",  | \"stages\" must be a list of 8 hexadecimal digits each, was [x,",
                "\"v\"           | \"seed\":1,\"v\"   | \"seed\" is there twice",
                "\"epoch\":      | \"epoch\";         | at character 25 stands what no token has: ;0,\"offset\""
            })
    void parse_aFieldThatIsWrong_isNamedAndShown(String right, String wrong, String says) {
        String damaged = TOKEN.toString().replace(right, wrong);

        assertThatThrownBy(() -> ResumeToken.parse(damaged))
                .hasMessageStartingWith("this is no resume token: " + says)
                .hasMessageEndingWith("; give the text that an earlier run printed or saved");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"seed\":42->\"seed\":43", "\"offset\":0->\"offset\":10", "\"epoch\":0->\"epoch\":1"})
    void parse_aTokenThatWasChanged_isRefused_andOneWithoutACheckIsRead(String change) {
        String[] parts = change.split("->", -1);
        String changed = TOKEN.toString().replace(parts[0], parts[1]);

        assertThatThrownBy(() -> ResumeToken.parse(changed)).hasMessageStartingWith("this resume token was changed");
        assertThat(ResumeToken.parse(changed.replaceFirst(",\"check\":\"[0-9a-f]{8}\"", "")))
                .isNotNull();
        assertThatThrownBy(() -> ResumeToken.parse(TOKEN.toString().replace("{", "{\"offset\":5,")))
                .hasMessageStartingWith("this is no resume token");
    }

    @Test
    void parse_anotherVersion_saysWhichIsRead() {
        assertThatThrownBy(() -> ResumeToken.parse(TOKEN.toString().replace("\"v\":3", "\"v\":4")))
                .hasMessage("this resume token is of version 4, this program reads version 3");
    }

    @Test
    void parse_ofTheOrdersBefore_saysWhyAndWhatToDo() {
        assertThatThrownBy(() -> ResumeToken.parse(TOKEN.toString().replace("\"v\":3", "\"v\":2")))
                .hasMessage(
                        "this resume token is of version 2, this program reads version 3: the orders of samples have "
                                + "changed since, so its position means other samples here; end the run with the release that "
                                + "wrote it, or begin its epoch again, without the token");
    }

    @Test
    void parse_whatAnotherProgramWroteAnew_isRead() {
        String spaced =
                TOKEN.toString().replace(",", " ,\n ").replace(":", " : ").replace("{", "{ \"more\": [], ");

        assertThat(ResumeToken.parse(spaced)).isEqualTo(TOKEN);
    }
}
