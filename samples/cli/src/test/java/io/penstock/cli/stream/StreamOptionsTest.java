package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

class StreamOptionsTest {

    @Test
    void flags_areNumberedInTheOrderOfTheHelp() {
        CommandSpec flags = CommandSpec.forAnnotatedObject(StreamOptions.class);

        assertThat(flags.options()).extracting(OptionSpec::order).doesNotHaveDuplicates();
        assertThat(StreamCommand.command().getUsageMessage())
                .containsSubsequence(
                        "--source=", "--tokenize=", "--cache-ram=", "--batch=", "--batch-tokens=", "--json");
    }

    @Test
    void flags_thatAnotherCommandHandsOn_areRefusedByTheNameOfStream() {
        assertThatExceptionOfType(ParameterException.class)
                .isThrownBy(() -> CommandLine.populateSpec(StreamOptions.class, "--source", "pictures"))
                .satisfies(refused -> assertThat(
                                refused.getCommandLine().getCommandSpec().qualifiedName())
                        .isEqualTo("penstock stream"));
    }
}
