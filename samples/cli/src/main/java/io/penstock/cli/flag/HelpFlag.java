package io.penstock.cli.flag;

import picocli.CommandLine.Option;

/** {@code --help}, of every command. */
public final class HelpFlag {

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            order = 1000,
            description = "Print this.")
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean asked;
}
