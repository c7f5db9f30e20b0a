package io.penstock.cli.flag;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.console.Reason;
import io.penstock.cli.console.Terminal;
import java.io.PrintWriter;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --help} and {@code --json}, and how a command prints: lines for people, or events for programs. */
@Command(resourceBundle = "io.penstock.cli.flags")
public final class OutputFlags {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Option(names = "--json", order = 490)
    private boolean json;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    public boolean json() {
        return json;
    }

    public Output out() {
        return new Output(spec.commandLine().getOut());
    }

    public PrintWriter err() {
        return spec.commandLine().getErr();
    }

    public boolean isWatched() {
        return !json && Terminal.onStandardError();
    }

    /** Prints a line for people, or an event for programs. */
    public void print(String forPeople, String event, Consumer<ObjectNode> fields) {
        if (json) {
            out().event(event, fields);
        } else {
            out().line(forPeople);
        }
    }

    public void serving(String forPeople, String address) {
        print(forPeople, "serving", node -> node.put("address", address));
    }

    public void complain(String line) {
        err().println(spec.qualifiedName() + ": " + Terminal.escape(line));
    }

    public ProgressLine progress(long total) {
        return new ProgressLine(err(), isWatched(), total);
    }

    /** The same told to another program: an event a second among those that it reads. */
    public ProgressLine progressEvents(long total) {
        return ProgressLine.toldTo(
                done -> print("", "progress", node -> node.put("done", done).put("samples", total)), err(), total);
    }

    /** The command's flags are wrong, which ends it with status 2. */
    public ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }

    /** What flags come to; an {@link IllegalArgumentException} says that they are wrong. */
    public <T> T checked(Supplier<T> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
    }
}
