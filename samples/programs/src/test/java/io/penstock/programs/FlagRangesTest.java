package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.cli.Main;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.NumberFlag;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.OptionSpec;

/** Every numeric flag of every command, as picocli knows them, has a range that its messages name. */
class FlagRangesTest {

    private static final Set<Class<?>> NUMBERS = Set.of(
            int.class,
            Integer.class,
            long.class,
            Long.class,
            double.class,
            Double.class,
            float.class,
            Float.class,
            short.class,
            Short.class,
            byte.class,
            Byte.class,
            BigInteger.class,
            BigDecimal.class);

    /** A flag of a command; its name is enough to tell it in a report. */
    private record Flag(CommandLine command, OptionSpec option) {

        /** What the command says of a value, or null where it takes it. */
        String refusal(String value) {
            List<String> arguments = new ArrayList<>(
                    List.of(command.getCommandSpec().qualifiedName().split(" ")));
            arguments.remove(0);
            arguments.add(option.longestName() + "=" + value);
            try {
                program(command).parseArgs(arguments.toArray(String[]::new));
                return null;
            } catch (CommandLine.MissingParameterException e) {
                return null; // the value was read, and another flag is missing
            } catch (CommandLine.ParameterException e) {
                return e.getMessage();
            }
        }

        @Override
        public String toString() {
            return command.getCommandSpec().qualifiedName() + " " + option.longestName();
        }
    }

    /** One for all values: to build it takes longer than to read a flag. */
    private static CommandLine program(CommandLine command) {
        return command.getParent() == null ? command : program(command.getParent());
    }

    private static Stream<CommandLine> commands(CommandLine line) {
        return Stream.concat(
                Stream.of(line), line.getSubcommands().values().stream().flatMap(FlagRangesTest::commands));
    }

    static Stream<Flag> numericFlags() {
        return commands(Main.commandLine())
                .flatMap(command -> command.getCommandSpec().options().stream()
                        .filter(option -> NUMBERS.contains(option.type()))
                        .map(option -> new Flag(command, option)));
    }

    @Test
    void numericFlags_ofAllCommands_areFound() {
        assertThat(numericFlags().map(Flag::toString))
                .hasSizeGreaterThan(40)
                .contains("penstock stream --batch", "penstock serve --port", "penstock cache warm --in-flight");
    }

    @ParameterizedTest
    @MethodSource("numericFlags")
    void flag_beyondItsRange_saysTheRangeAndTheValue(Flag flag) {
        ITypeConverter<?>[] converters = flag.option().converters();
        assertThat(converters).as("the range of " + flag).hasSize(1);
        assertThat(converters[0]).as("the range of " + flag).isInstanceOf(NumberFlag.class);
        NumberFlag<?> range = (NumberFlag<?>) converters[0];
        BigDecimal beyond = range.max().add(BigDecimal.ONE);

        List<String> wrong = new ArrayList<>(List.of(
                "1e400",
                "NaN",
                "Infinity",
                "",
                " 5",
                "5 ",
                "0x10",
                "５",
                "1_000",
                "1d",
                beyond.toPlainString(),
                range.min().subtract(BigDecimal.ONE).toPlainString()));
        for (String number : List.of("-1", "0", "1", "2147483647", "2147483648", "9223372036854775808")) {
            BigDecimal value = new BigDecimal(number);
            if (value.compareTo(range.min()) < 0 || value.compareTo(range.max()) > 0) {
                wrong.add(number);
            } else {
                assertThat(flag.refusal(number)).isNull();
            }
        }

        assertThat(wrong)
                .allSatisfy(value -> assertThat(flag.refusal(value))
                        .contains("'" + flag.option().longestName() + "'")
                        .contains("in [%s, %s] was expected, was \"%s\"".formatted(range.min(), range.max(), value)));
        assertThat(flag.refusal(range.min().toPlainString())).isNull();
        assertThat(flag.refusal(range.max().toPlainString())).isNull();
    }

    static Stream<Flag> sizeFlags() {
        return commands(Main.commandLine())
                .flatMap(command -> command.getCommandSpec().options().stream()
                        .filter(option -> option.type() == ByteSize.class)
                        .map(option -> new Flag(command, option)));
    }

    @ParameterizedTest
    @MethodSource("sizeFlags")
    void size_thatIsNone_isRefusedByName(Flag flag) {
        assertThat(List.of("-1GiB", "0B", "5", "99999999999GiB", "150%", "0%", "NaN%", "1e3B", "５GiB", "", "GiB"))
                .allSatisfy(size -> assertThat(flag.refusal(size))
                        .contains("'" + flag.option().longestName() + "'")
                        .contains("\"" + size + "\""));
        assertThat(List.of("1000B", "1.5GiB", "100%", "7EB".replace("EB", "PiB")))
                .allSatisfy(size -> assertThat(flag.refusal(size)).isNull());
    }

    static Stream<Flag> pathFlags() {
        return commands(Main.commandLine())
                .flatMap(command -> command.getCommandSpec().options().stream()
                        .filter(option -> option.type() == java.nio.file.Path.class)
                        .map(option -> new Flag(command, option)));
    }

    @ParameterizedTest
    @MethodSource("pathFlags")
    void path_thatIsNone_isRefusedByName(Flag flag) {
        assertThat(List.of("", " ", "a\0b"))
                .allSatisfy(path -> assertThat(flag.refusal(path))
                        .contains("'" + flag.option().longestName() + "'")
                        .contains("a path was expected"));
    }

    /** Texts of no meaning, alone and behind each key that the flag's own words name. */
    private static Stream<String> odd(OptionSpec option) {
        List<String> keys = Pattern.compile("\\w[\\w-]*[=:]")
                .matcher(option.paramLabel() + " " + String.join(" ", option.description()))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(ArrayList::new));
        keys.add("");
        return Stream.of(" ;=;,;:;#;%;..;x;-1;1d;1e999;NaN;1..;x:y:z;a=b;a=b,c=d;{;[1;http://[;records:;csv:#;é\0;1/0"
                        .split(";"))
                .flatMap(text -> keys.stream().map(key -> key + text));
    }

    static Stream<Flag> wordFlags() {
        return commands(Main.commandLine())
                .flatMap(command -> command.getCommandSpec().options().stream()
                        .filter(option -> option.arity().max() > 0 && option.type() != java.nio.file.Path.class)
                        .map(option -> new Flag(command, option)));
    }

    @ParameterizedTest
    @MethodSource("wordFlags")
    void flag_ofAnyText_isReadOrRefusedInWords(Flag flag) {
        assertThat(odd(flag.option())
                        .map(flag::refusal)
                        .filter(Objects::nonNull)
                        .distinct())
                .allSatisfy(refusal -> assertThat(refusal)
                        .contains(flag.option().longestName())
                        .doesNotContain("cannot convert", "io.penstock", "java.", "Exception"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"DIR,-1", "DIR,+5GiB", "DIR,.5GiB", "DIR,５GiB", "DIR,150%", "DIR,0", ",5GiB", "", " ", "DIR,"})
    void diskCache_withASizeThatIsNone_isNoFolderOfThatName(String text) {
        Cli said = Cli.run("stream", "--source", "records:x,1", "--cache-disk", text);

        assertThat(said.status()).isEqualTo(2);
        assertThat(said.err())
                .contains("--cache-disk")
                .contains(text.isBlank() ? "\"" : text.substring(text.indexOf(',') + 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"overflow=NaN", "overflow=1e400", "overflow=-1", "min=-1", "min=9223372036854775808", "min="})
    void lazyShard_withANumberOutOfRange_namesTheRange(String option) {
        Cli said = Cli.run("stream", "--source", "records:x,1", "--lazy-shard", "rank," + option);

        assertThat(said.status()).isEqualTo(2);
        assertThat(said.err()).contains("--lazy-shard").contains(option).contains("number in [0, ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1ms", "3601s", "999999999s", "5", "NaNs", "５ms"})
    void delay_outOfRange_isRefused(String delay) {
        Cli said = Cli.run("serve-files", ".", "--delay=" + delay);

        assertThat(said.status()).isEqualTo(2);
        assertThat(said.err()).contains("--delay").contains("\"" + delay + "\"");
    }
}
