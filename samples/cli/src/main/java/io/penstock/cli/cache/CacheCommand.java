package io.penstock.cli.cache;

import io.penstock.cli.flag.HelpFlag;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code penstock cache}: what can be done about the directory of a persisted cache. */
@Command(
        name = "cache",
        abbreviateSynopsis = true,
        description = "Inspect, check, fill, explain and clear the directory of a cache.")
public final class CacheCommand implements Runnable {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Spec
    private CommandSpec spec;

    private CacheCommand() {}

    public static CommandLine command() {
        return new CommandLine(new CacheCommand())
                .addSubcommand(new CacheInspectCommand())
                .addSubcommand(new CacheVerifyCommand())
                .addSubcommand(new CacheWarmCommand())
                .addSubcommand(new CacheWhyMissCommand())
                .addSubcommand(new CacheClearCommand());
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
