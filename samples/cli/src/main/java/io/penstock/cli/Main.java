package io.penstock.cli;

import io.penstock.cli.cache.CacheCommand;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.Reason;
import io.penstock.cli.console.Terminal;
import io.penstock.cli.demo.DemoCommand;
import io.penstock.cli.explain.ExplainCommand;
import io.penstock.cli.fit.FitCommand;
import io.penstock.cli.flag.Flags;
import io.penstock.cli.flag.HelpFlag;
import io.penstock.cli.materialize.MaterializeCommand;
import io.penstock.cli.materialize.MaterializeTarget;
import io.penstock.cli.serve.ServeCommand;
import io.penstock.cli.serve.ServeFilesCommand;
import io.penstock.cli.show.ShowCommand;
import io.penstock.cli.source.SourceFlags;
import io.penstock.cli.stream.StreamCommand;
import io.penstock.cli.watch.WatchCommand;
import io.penstock.fault.DataException;
import io.penstock.fault.SampleException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import reactor.core.Exceptions;
import reactor.core.publisher.Hooks;

/**
 * The command line. Exit status: 0 done, 2 wrong usage, 130 interrupted, 141 the reader of the output has gone, 1
 * anything else.
 */
@Command(
        name = "penstock",
        description = "Reactive data pipelines that feed training jobs.",
        abbreviateSynopsis = true,
        versionProvider = Main.Version.class,
        footer = {"", "Start with: penstock demo"})
public final class Main implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Main.class);
    private static final int HELP_WIDTH = 100;
    private static final int USAGE = 2;
    private static final int FAILED = 1;
    private static final int CLOSED_PIPE = 141;

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            order = 1010,
            description = "Print the version.")
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private boolean version;

    @Option(
            names = "--verbose",
            order = 990,
            scope = ScopeType.INHERIT,
            description = "Print stack traces of failures.")
    private boolean verbose;

    @Spec
    private CommandSpec spec;

    private Main() {}

    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    public static int run(String... arguments) {
        Terminal.escapeLogs();
        return execute(commandLine(arguments).setOut(Output.standard()), arguments);
    }

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

    /** Runs a command or prints help; where help cannot be printed, that fails as a command does. */
    private static int executeOrHelp(ParseResult parsed) {
        CommandLine line = parsed.commandSpec().commandLine();
        try {
            int status = new RunLast().execute(parsed);
            line.getOut().flush();
            return status;
        } catch (Output.Failed e) {
            throw new ExecutionException(line, "no help", e);
        }
    }

    public static CommandLine commandLine() {
        return commandLine(commands());
    }

    /** Commands have hundreds of flags, whose reading takes longer than a small run: one that is named comes alone. */
    private static CommandLine commandLine(String... arguments) {
        Map<String, Supplier<CommandLine>> commands = commands();
        Supplier<CommandLine> named = arguments.length == 0 ? null : commands.get(arguments[0]);
        return commandLine(named == null ? commands : Map.of(arguments[0], named));
    }

    private static CommandLine commandLine(Map<String, Supplier<CommandLine>> commands) {
        Main main = new Main();
        CommandLine program = new CommandLine(main);
        commands.forEach((name, command) -> program.addSubcommand(name, command.get()));
        program.addSubcommand(new HelpCommand());
        return SourceFlags.readBy(program)
                .registerConverter(MaterializeTarget.class, Flags.reading(MaterializeTarget::parse))
                .setExpandAtFiles(false) // --resume @FILE is ours
                .setUsageHelpWidth(HELP_WIDTH)
                .setExecutionStrategy(Main::executeOrHelp)
                .setParameterExceptionHandler(Main::wrongUsage)
                .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure, command, main.verbose));
    }

    /** By name, in the order in which the help lists them. */
    private static Map<String, Supplier<CommandLine>> commands() {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        commands.put("stream", () -> new CommandLine(new StreamCommand()));
        commands.put("explain", () -> new CommandLine(new ExplainCommand()));
        commands.put("cache", CacheCommand::command);
        commands.put("materialize", () -> new CommandLine(new MaterializeCommand()));
        putMissing(
                commands,
                "spark-materialize",
                "Run the deterministic part of a pipeline as a job on Apache Spark (4.2), which is built in on demand.");
        putMissing(
                commands,
                "train",
                "Train a small convolutional network on labelled pictures, with DJL on PyTorch, which is built in on "
                        + "demand.");
        commands.put("fit", FitCommand::command);
        commands.put("show", () -> new CommandLine(new ShowCommand()));
        commands.put("demo", () -> new CommandLine(new DemoCommand()));
        putMissing(commands, "bench", "Run the benchmarks and comparisons that the documentation names.");
        commands.put("serve", () -> new CommandLine(new ServeCommand()));
        commands.put("serve-files", () -> new CommandLine(new ServeFilesCommand()));
        commands.put("watch", () -> new CommandLine(new WatchCommand()));
        ServiceLoader.load(AddedCommand.class, Main.class.getClassLoader()).forEach(added -> {
            String name = added.getClass().getAnnotation(Command.class).name();
            commands.put(name, () -> new CommandLine(added));
        });
        return commands;
    }

    private static void putMissing(Map<String, Supplier<CommandLine>> commands, String name, String description) {
        commands.put(name, () -> MissingCommand.of(name, description));
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    private static int wrongUsage(ParameterException failure, String[] arguments) {
        failure.getCommandLine().getErr().println(WrongUsage.of(failure));
        return USAGE;
    }

    private static int failed(Exception failure, CommandLine command, boolean verbose) {
        Throwable cause = Exceptions.unwrap(failure);
        if (cause instanceof Output.Failed output && output.isClosedPipe()) {
            return CLOSED_PIPE;
        }
        PrintWriter err = command.getErr();
        if (verbose) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            err.print(Terminal.escape(trace.toString()));
        }
        boolean ours = cause instanceof DataException
                || cause instanceof IllegalArgumentException
                || cause instanceof Output.Failed;
        String hint = cause instanceof SampleException && mayLeaveOut(command)
                ? Reason.LEAVE_OUT
                : ours || verbose ? "" : "; --verbose shows where";
        err.println(command.getCommandSpec().qualifiedName() + ": " + Reason.of(cause) + hint);
        return FAILED;
    }

    private static boolean mayLeaveOut(CommandLine command) {
        return command.getCommandSpec().findOption("--on-error") != null
                && !command.getParseResult().hasMatchedOption("--on-error");
    }

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
