package io.penstock.cli.cache;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cli.console.Output;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.console.Terminal;
import io.penstock.cli.flag.HelpFlag;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the commands below {@code penstock cache} share: how they print. */
public final class CacheFlags {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final HelpFlag help = new HelpFlag();

    @Option(names = "--json", order = 90, description = "Print one JSON object a line, and nothing else.")
    private boolean json;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Prints a line for people, or an event for programs. */
    public void print(String forPeople, String event, Consumer<ObjectNode> fields) {
        Output out = new Output(spec.commandLine().getOut());
        if (json) {
            ObjectNode node = JsonNodeFactory.instance.objectNode().put("event", event);
            fields.accept(node);
            out.line(node.toString());
        } else {
            out.line(forPeople);
        }
    }

    /** Names a file in a cache's directory that is not the cache's. */
    void leftAlone(Path directory, Path file) {
        String name = directory.relativize(file).toString();
        print("left alone: %s, which is not the cache's".formatted(name), "foreign", node -> node.put("file", name));
    }

    public ProgressLine progress(long total) {
        return new ProgressLine(err(), !json && Terminal.onStandardError(), total);
    }

    /** The same told to another program: an event a second among those that it reads. */
    public ProgressLine progressEvents(long total) {
        return ProgressLine.toldTo(
                done -> print("", "progress", node -> node.put("done", done).put("samples", total)), err(), total);
    }

    public boolean json() {
        return json;
    }

    /** One line on standard error. */
    public void complain(String line) {
        err().println(spec.qualifiedName() + ": " + Terminal.escape(line));
    }

    PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
