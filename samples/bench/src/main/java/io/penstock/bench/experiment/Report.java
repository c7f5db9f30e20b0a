package io.penstock.bench.experiment;

import io.penstock.bench.Result;
import io.penstock.fault.StoreException;
import io.penstock.internal.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files of an experiment: {@code NAME.csv} with a line for each place, a PNG file for each chart, and a page of
 * HTML that contains the charts and needs no other file.
 *
 * @param name       of the experiment
 * @param title      the question in half a line
 * @param command    that measures it again
 * @param explained  the method, in sentences
 * @param conditions the machine and the settings
 * @param results    the measurements beside what was promised
 */
record Report(
        String name,
        String title,
        String command,
        List<String> explained,
        Map<String, String> conditions,
        List<Result> results) {

    private static final String PAGE = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>%1$s: %2$s</title>
            <style>
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
            img { width: 100%%; border: 1px solid #ddd; margin: 1rem 0; }
            table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
            th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ddd; }
            code { background: #f2f2f2; padding: .1rem .3rem; }
            </style>
            </head>
            <body>
            <h1>%2$s</h1>
            <p><code>%3$s</code></p>
            %4$s
            <table>
            <tr><th>what</th><th>measured</th><th>must reach</th><th></th></tr>
            %5$s
            </table>
            %6$s
            <h2>Measured on</h2>
            <table>
            %7$s
            </table>
            </body>
            </html>
            """;

    /**
     * Replaces the files of an earlier report.
     * @throws StoreException if a file cannot be written
     */
    void write(Path folder, Measurements measurements, List<Chart> charts) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(name + ".csv"), csv(measurements));
            StringBuilder images = new StringBuilder();
            for (Chart chart : charts) {
                byte[] png = Plot.png(chart);
                Files.write(folder.resolve(name + "-" + chart.file() + ".png"), png);
                images.append("<img alt=\"%s\" src=\"data:image/png;base64,%s\">\n"
                        .formatted(escaped(chart.title()), Base64.getEncoder().encodeToString(png)));
            }
            Files.writeString(folder.resolve(name + ".html"), page(images.toString()));
        } catch (IOException e) {
            throw new StoreException(
                    "cannot write the report of \"%s\" to %s: %s".formatted(name, folder, FileErrors.reason(e)), e);
        }
    }

    private static String csv(Measurements measurements) {
        StringBuilder text = new StringBuilder("figure,series,x,median,least,most,rounds\n");
        measurements
                .spreads()
                .forEach((place, spread) -> text.append("%s,%s,%s,%s,%s,%s,%d\n"
                        .formatted(
                                place.figure(),
                                place.series(),
                                Double.toString(place.x()),
                                Double.toString(spread.median()),
                                Double.toString(spread.min()),
                                Double.toString(spread.max()),
                                spread.count())));
        return text.toString();
    }

    private String page(String images) {
        return PAGE.formatted(
                name,
                escaped(title),
                escaped(command),
                explained.stream().map(words -> "<p>" + escaped(words) + "</p>").collect(Collectors.joining("\n")),
                results.stream().map(Report::row).collect(Collectors.joining("\n")),
                images,
                conditions.entrySet().stream()
                        .map(condition -> row(condition.getKey(), condition.getValue()))
                        .collect(Collectors.joining("\n")));
    }

    private static String row(Result result) {
        Double limit = result.limit();
        Boolean reached = result.reached();
        String sense = result.sense() == Result.Sense.AT_LEAST ? "≥ " : "≤ ";
        return row(
                result.what(),
                Result.text(result.value()) + " " + result.unit(),
                limit == null ? "" : sense + Result.text(limit) + " " + result.unit(),
                reached == null ? "" : reached ? "reached" : "not reached");
    }

    private static String row(String... cells) {
        return Stream.of(cells)
                .map(cell -> "<td>" + escaped(cell) + "</td>")
                .collect(Collectors.joining("", "<tr>", "</tr>"));
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
