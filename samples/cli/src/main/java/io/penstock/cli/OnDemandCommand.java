package io.penstock.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Stands for a command that is a program of its own, since it needs what no other command should fetch: it is listed, says
 * what it does, and how to have it. The launcher never comes here to run it.
 */
@Command(sortOptions = false, usageHelpWidth = 100)
final class OnDemandCommand implements Callable<Integer> {

    private final String profile;

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private OnDemandCommand(String profile) {
        this.profile = profile;
    }

    /**
     * A command to be added.
     * @param profile that builds its program
     */
    static CommandLine of(String name, String profile, String description) {
        CommandLine command = new CommandLine(new OnDemandCommand(profile));
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
                .println("%s: this program was built without it: start it by ./penstock %s, or build with %s"
                        .formatted(spec.qualifiedName(), spec.name(), profile));
        return spec.exitCodeOnInvalidInput();
    }
}
