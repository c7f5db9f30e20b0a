package io.penstock.bench.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.console.Output;
import java.util.Locale;

/** Findings as a table: those with a limit say whether it was reached. */
final class BenchTable {

    private final Output out;

    BenchTable(Output out) {
        this.out = out;
    }

    void head() {
        line("bench", "what", "measured", "unit", "must reach", "");
    }

    void row(JsonNode finding) {
        boolean limited = finding.has("reached");
        line(
                finding.path("benchmark").asText(),
                finding.path("what").asText(),
                figure(finding.path("value").asDouble()),
                finding.path("unit").asText(),
                limited ? limit(finding) : "",
                limited ? (finding.path("reached").asBoolean() ? "reached" : "NOT REACHED") + answered(finding) : "");
    }

    /** The row of the requirements' table, for what is in it. */
    private static String answered(JsonNode finding) {
        int row = finding.path("row").asInt();
        return row == 0 ? "" : " (row " + row + ")";
    }

    private void line(Object... columns) {
        out.line(String.format(Locale.ROOT, "%-8s %-72s %10s %-10s %-10s %s", columns)
                .stripTrailing());
    }

    private static String limit(JsonNode finding) {
        return finding.has("at_least")
                ? ">= " + figure(finding.path("at_least").asDouble())
                : "<= " + figure(finding.path("at_most").asDouble());
    }

    /** Three digits that count. */
    private static String figure(double value) {
        double size = Math.abs(value);
        int decimals = size >= 100 || value == Math.rint(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
