package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

class StreamFlagsTest {

    @Test
    void flags_areListedByTheirGroups() {
        assertThat(new CommandLine(new StreamCommand()).getUsageMessage())
                .containsSubsequence(
                        "--source=", "--tokenize=", "--cache-ram=", "--batch=", "--batch-tokens=", "--json");
    }

    @Test
    void flags_thatAnotherCommandHandsOn_areRefusedByTheNameOfStream() {
        assertThatExceptionOfType(ParameterException.class)
                .isThrownBy(() -> StreamFlags.parse("--source", "pictures"))
                .satisfies(refused -> assertThat(
                                refused.getCommandLine().getCommandSpec().qualifiedName())
                        .isEqualTo("penstock stream"));
    }
}
