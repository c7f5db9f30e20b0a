package io.penstock.cli;

import io.penstock.cli.flag.HelpFlag;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Takes the place of a command whose module is not on the class path: it is listed, and says how to have it. The
 * launcher builds that module, so it does not run this.
 */
@Command(sortOptions = false)
final class MissingCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Spec
    private CommandSpec spec;

    private MissingCommand() {}

    static CommandLine of(String name, String description) {
        CommandLine command = new CommandLine(new MissingCommand());
        command.getCommandSpec()
                .name(name)
                .usageMessage()
                .description(description)
                .customSynopsis("penstock %s …".formatted(name))
                .footer("", "Its flags: ./penstock %s --help, which builds it first.".formatted(name));
        return command.setUnmatchedArgumentsAllowed(true);
    }

    @Override
    public Integer call() {
        spec.commandLine()
                .getErr()
                .println("%s: this program was built without it: start it by ./penstock %s"
                        .formatted(spec.qualifiedName(), spec.name()));
        return spec.exitCodeOnInvalidInput();
    }
}
