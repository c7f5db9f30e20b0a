package io.penstock.cli;

import io.penstock.pipeline.DataException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import reactor.core.Exceptions;
import reactor.core.publisher.Hooks;

/** The command line. Exit status: 0 done, 2 wrong usage, 130 interrupted, 141 nobody reads the output, 1 anything else. */
@Command(
        name = "penstock",
        description = "Reactive data pipelines that feed training jobs.",
        abbreviateSynopsis = true,
        usageHelpWidth = 100,
        versionProvider = Main.Version.class,
        footer = {"", "Start with: penstock demo"})
public final class Main implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Main.class);
    private static final int USAGE = 2;
    private static final int FAILED = 1;
    private static final int CLOSED_PIPE = 141;

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            order = 101,
            description = "Print the version.")
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean version;

    @Option(names = "--verbose", order = 99, scope = ScopeType.INHERIT, description = "Print stack traces of failures.")
    private boolean verbose;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private Main() {}

    /** Runs a command and exits with its status. */
    public static void main(String[] arguments) {
        PrintWriter out = standardOutput();
        int status = execute(commandLine().setOut(out), arguments);
        out.flush();
        System.exit(status);
    }

    /** Unlike {@code System.out}, it says when nobody reads it. */
    private static PrintWriter standardOutput() {
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        return new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true);
    }

    /** Runs a command; its status. */
    static int execute(CommandLine commandLine, String... arguments) {
        // the first failure ends a run and is told; those of loads that were under way beside it are not
        Hooks.onErrorDropped(later -> LOG.debug("dropped", later));
        try {
            return commandLine.execute(arguments);
        } catch (OutOfMemoryError | StackOverflowError | LinkageError e) { // picocli hands on exceptions only
            commandLine.getErr().println("penstock: " + Reason.of(e));
            return FAILED;
        }
    }

    /** A program of one command, which is used wrongly and fails as those here do. */
    static CommandLine alone(Object command) {
        Main main = new Main();
        return new CommandLine(command)
                .setExpandAtFiles(false)
                .setParameterExceptionHandler(Main::wrongUsage)
                .setExecutionExceptionHandler((failure, line, parsed) -> main.failed(failure, line));
    }

    static CommandLine commandLine() {
        Main main = new Main();
        return new CommandLine(main)
                .addSubcommand(StreamCommand.command())
                .addSubcommand(ExplainCommand.command())
                .addSubcommand(CacheCommand.command())
                .addSubcommand(new MaterializeCommand())
                .addSubcommand(
                        OnDemandCommand.of(
                                "spark-materialize",
                                "-Pspark",
                                "Run the deterministic part of a pipeline as a job on Apache Spark (4.2), which is built in on demand."))
                .addSubcommand(
                        OnDemandCommand.of(
                                "train",
                                "-Ptrain",
                                "Train a small convolutional network on labelled pictures, with DJL on PyTorch, which is built in on demand."))
                .addSubcommand(new ShowCommand())
                .addSubcommand(new DemoCommand())
                .addSubcommand(new BenchCommand())
                .addSubcommand(ServeCommand.command())
                .addSubcommand(new ServeFilesCommand())
                .addSubcommand(new HelpCommand())
                .setExpandAtFiles(false) // --resume @FILE is ours
                .setParameterExceptionHandler(Main::wrongUsage)
                .setExecutionExceptionHandler((failure, command, parsed) -> main.failed(failure, command));
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    private static int wrongUsage(ParameterException failure, String[] arguments) {
        CommandLine command = failure.getCommandLine();
        command.getErr()
                .println("%s: %s; see %s --help"
                        .formatted(
                                command.getCommandSpec().qualifiedName(),
                                Reason.of(failure),
                                command.getCommandSpec().qualifiedName()));
        return USAGE;
    }

    private int failed(Exception failure, CommandLine command) {
        Throwable cause = Exceptions.unwrap(failure);
        if (cause instanceof Output.ClosedPipe) {
            return CLOSED_PIPE;
        }
        PrintWriter err = command.getErr();
        if (verbose) {
            failure.printStackTrace(err);
        }
        boolean ours = cause instanceof DataException || cause instanceof IllegalArgumentException;
        String hint = ours || verbose ? "" : "; --verbose shows where";
        err.println(command.getCommandSpec().qualifiedName() + ": " + Reason.of(cause) + hint);
        return FAILED;
    }

    /** Says what the manifest says. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {
                "penstock " + (version == null ? "(not packaged)" : version),
                "Java " + System.getProperty("java.version") + " on " + System.getProperty("os.name") + " "
                        + System.getProperty("os.arch")
            };
        }
    }
}
