package io.penstock.bench.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.bench.Result;
import io.penstock.cli.console.Output;
import java.util.Locale;

/** Prints results as a table; those with a limit say whether it was reached. */
final class BenchTable {

    private final Output out;

    BenchTable(Output out) {
        this.out = out;
    }

    void head() {
        line("bench", "what", "measured", "unit", "must reach", "");
    }

    void row(JsonNode result) {
        boolean limited = result.has("reached");
        line(
                result.path("benchmark").asText(),
                result.path("what").asText(),
                Result.text(result.path("value").asDouble()),
                result.path("unit").asText(),
                limited ? limit(result) : "",
                limited ? (result.path("reached").asBoolean() ? "reached" : "NOT REACHED") + answered(result) : "");
    }

    /** The row of docs/performance.md, if it is there. */
    private static String answered(JsonNode result) {
        int row = result.path("row").asInt();
        return row == 0 ? "" : " (row " + row + ")";
    }

    private void line(Object... columns) {
        out.line(String.format(Locale.ROOT, "%-8s %-72s %10s %-10s %-10s %s", columns)
                .stripTrailing());
    }

    private static String limit(JsonNode result) {
        return result.has("at_least")
                ? ">= " + Result.text(result.path("at_least").asDouble())
                : "<= " + Result.text(result.path("at_most").asDouble());
    }
}
