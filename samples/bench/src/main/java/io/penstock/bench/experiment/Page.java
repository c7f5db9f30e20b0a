package io.penstock.bench.experiment;

import io.penstock.bench.Finding;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;

/** A report as one page of HTML that loads nothing: the charts are in it. */
final class Page {

    private static final String STYLE = """
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #111; }
            img { width: 100%; border: 1px solid #ddd; margin: 1rem 0; }
            table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
            th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ddd; vertical-align: top; }
            td.n { text-align: right; }
            code { background: #f2f2f2; padding: .1rem .3rem; }
            @media print { details { display: none; } }
            """;

    private final Report report;
    private final Map<Chart, byte[]> drawn;
    private final StringBuilder text = new StringBuilder();

    Page(Report report, Map<Chart, byte[]> drawn) {
        this.report = report;
        this.drawn = drawn;
    }

    String html() {
        text.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width\">\n")
                .append("<title>")
                .append(escaped(report.name() + ": " + report.about()))
                .append("</title>\n<style>\n")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n<h1>")
                .append(escaped(report.about()))
                .append("</h1>\n<p><code>")
                .append(escaped(report.command()))
                .append("</code></p>\n");
        report.explained()
                .forEach(words -> text.append("<p>").append(escaped(words)).append("</p>\n"));
        findings();
        drawn.forEach(this::chart);
        conditions();
        places();
        return text.append("</body>\n</html>\n").toString();
    }

    private void chart(Chart chart, byte[] png) {
        text.append("<img alt=\"")
                .append(escaped("%s: %s over %s"
                        .formatted(chart.title(), chart.y().title(), chart.x().title())))
                .append("\" src=\"data:image/png;base64,")
                .append(Base64.getEncoder().encodeToString(png))
                .append("\">\n");
    }

    private void findings() {
        if (report.findings().isEmpty()) {
            return;
        }
        text.append("<table>\n<tr><th>what</th><th>measured</th><th>must reach</th><th></th></tr>\n");
        for (Finding finding : report.findings()) {
            Double limit = finding.limit();
            Boolean reached = finding.reached();
            String sense = finding.sense() == Finding.Sense.AT_LEAST ? "≥ " : "≤ ";
            row(
                    finding.what(),
                    figure(finding.value()) + " " + finding.unit(),
                    limit == null ? "" : sense + figure(limit) + " " + finding.unit(),
                    reached == null ? "" : reached ? "reached" : "not reached");
        }
        text.append("</table>\n");
    }

    private void conditions() {
        text.append("<h2>Measured on</h2>\n<table>\n");
        report.conditions().forEach(this::row);
        text.append("</table>\n");
    }

    private void places() {
        text.append("<details><summary>All figures: the median of the repetitions, and their range</summary>\n")
                .append("<table>\n<tr><th>figure</th><th>of</th><th>at</th><th>median</th>")
                .append("<th>least</th><th>most</th><th>repetitions</th></tr>\n");
        for (Report.Place place : report.places()) {
            Spread spread = report.results().spread(place.figure(), place.series(), place.x());
            row(
                    place.figure(),
                    place.series(),
                    Plot.number(place.x()),
                    figure(spread.median()),
                    figure(spread.least()),
                    figure(spread.most()),
                    Integer.toString(spread.count()));
        }
        text.append("</table>\n</details>\n");
    }

    private void row(String... cells) {
        text.append("<tr>");
        for (String cell : cells) {
            boolean number = !cell.isEmpty() && (Character.isDigit(cell.charAt(0)) || cell.charAt(0) == '-');
            text.append(number ? "<td class=\"n\">" : "<td>")
                    .append(escaped(cell))
                    .append("</td>");
        }
        text.append("</tr>\n");
    }

    /** Four digits that count. */
    private static String figure(double value) {
        double size = Math.abs(value);
        if (size != 0 && size < 1e-3) {
            return String.format(Locale.ROOT, "%.2e", value);
        }
        int decimals = size >= 1000 || value == Math.rint(value) ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
