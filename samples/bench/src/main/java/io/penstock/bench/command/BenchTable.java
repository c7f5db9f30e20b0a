package io.penstock.bench.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.bench.Result;
import io.penstock.cli.console.Output;
import java.util.Locale;

/** Prints figures as a table; those with a limit say whether it was reached. */
record BenchTable(Output out) {

    void head() {
        line("bench", "what", "measured", "unit", "must reach", "");
    }

    /** A line for a figure, none for a chart. */
    void row(JsonNode figure) {
        if (!figure.has("what")) {
            return;
        }
        boolean limited = figure.has("reached");
        line(
                figure.path("benchmark").asText(),
                figure.path("what").asText(),
                Result.text(figure.path("value").asDouble()),
                figure.path("unit").asText(),
                limited ? limit(figure) : "",
                limited ? (figure.path("reached").asBoolean() ? "reached" : "NOT REACHED") : "");
    }

    private void line(Object... columns) {
        out.line(String.format(Locale.ROOT, "%-8s %-72s %10s %-10s %-10s %s", columns)
                .stripTrailing());
    }

    private static String limit(JsonNode figure) {
        return figure.has("at_least")
                ? ">= " + Result.text(figure.path("at_least").asDouble())
                : "<= " + Result.text(figure.path("at_most").asDouble());
    }
}
