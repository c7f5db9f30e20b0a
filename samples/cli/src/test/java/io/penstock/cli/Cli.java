package io.penstock.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/** A command run in this process, and what it printed. */
public record Cli(int status, String out, String err) {

    private static final ObjectMapper JSON = new ObjectMapper();

    public static Cli run(String... arguments) {
        return into(new StringWriter(), arguments);
    }

    /** A command that prints to a writer of the caller's. */
    public static Cli into(StringWriter out, String... arguments) {
        StringWriter err = new StringWriter();
        int status = Main.execute(
                Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)), arguments);
        return new Cli(status, out.toString(), err.toString());
    }

    /** Runs {@code stream --json}, with flags written with blanks between them. */
    public static Cli stream(String flags) {
        return run(("stream --json " + flags).split(" "));
    }

    public List<JsonNode> events() {
        return out.lines().map(Cli::read).toList();
    }

    public List<JsonNode> epochs() {
        return events().stream()
                .filter(event -> event.path("event").asText().equals("epoch"))
                .toList();
    }

    public JsonNode epoch(int number) {
        return epochs().get(number);
    }

    public JsonNode done() {
        return events().get(events().size() - 1);
    }

    public String resume() {
        return done().path("resume").asText();
    }

    public long content(int epoch) {
        return Long.parseUnsignedLong(epoch(epoch).path("content_digest").asText(), 16);
    }

    public String order(int epoch) {
        return epoch(epoch).path("order_digest").asText();
    }

    private static JsonNode read(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException(line, e);
        }
    }
}
