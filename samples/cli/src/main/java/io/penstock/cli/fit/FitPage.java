package io.penstock.cli.fit;

import io.penstock.fit.FieldFit;
import io.penstock.fit.Fit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** A page of one small chart a field, without scripts and other files. */
final class FitPage {

    private static final int WIDTH = 320;
    private static final int HEIGHT = 90;
    private static final int BINS = 40;
    private static final int BARS = 12;
    private static final String STYLE = """
            :root { color-scheme: light dark; --bar: #0b5cad; --line: #b65500; }
            @media (prefers-color-scheme: dark) { :root { --bar: #79b8ff; --line: #ffab70; } }
            body { font: 1rem/1.4 system-ui, sans-serif; margin: 1rem; }
            main { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); }
            section { border: 1px solid #8886; border-radius: .5rem; padding: .5rem .75rem; overflow-wrap: anywhere; }
            h1 { font-size: 1.3rem; } h2 { font-size: 1rem; margin: 0; } p { margin: 0; font-size: .85rem; }
            svg { width: 100%; } rect { fill: var(--bar); } polyline { fill: none; stroke: var(--line); stroke-width: 2; }
            text { font-size: 10px; fill: currentColor; }
            """;

    private FitPage() {}

    /** @param before drawn as a line over the bars; null for none */
    static String of(String name, Fit fit, @Nullable Fit before) {
        Map<String, FieldFit> others = before == null ? Map.of() : before.fields();
        String sections = fit.fields().entrySet().stream()
                .map(each -> section(each.getKey(), each.getValue(), others.get(each.getKey())))
                .collect(Collectors.joining());
        return """
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><title>%1$s</title>
                <meta name="viewport" content="width=device-width"><style>%2$s</style></head>
                <body><h1>%1$s: %3$,d samples</h1>%4$s<main>%5$s</main></body></html>
                """.formatted(
                        escaped(name),
                        STYLE,
                        fit.samples(),
                        before == null ? "" : "<p>The lines are those of the fit that it is compared with.</p>",
                        sections);
    }

    private static String section(String name, FieldFit field, @Nullable FieldFit before) {
        boolean bars = field.text() && !field.classes().isEmpty();
        String chart = bars ? classes(field) : field.percentiles().isEmpty() ? "" : histogram(field, before);
        String words = format(
                "%smean %.6g, deviation %.6g; %.2f %% missing; %,d distinct",
                field.text() ? "length: " : "",
                field.mean(),
                field.deviation(),
                100 * field.missingShare(),
                field.distinct());
        return "<section><h2>%s</h2>%s<p>%s</p></section>\n".formatted(escaped(name), chart, words);
    }

    /** The most frequent classes. */
    private static String classes(FieldFit field) {
        List<Map.Entry<String, Long>> most = field.classes().entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
                .limit(BARS)
                .toList();
        StringBuilder svg = new StringBuilder(svg(most.size() * 14));
        for (int i = 0; i < most.size(); i++) {
            long count = most.get(i).getValue();
            double width = (double) WIDTH / 2 * count / most.get(0).getValue();
            svg.append(format("<rect x='0' y='%d' width='%.1f' height='12'/>", 14 * i, width));
            String word = escaped(most.get(i).getKey());
            svg.append(format("<text x='%.1f' y='%d'>%s (%d)</text>", width + 4, 14 * i + 10, word, count));
        }
        return svg.append("</svg>").toString();
    }

    /** Shares of values in bins of equal width, between the first and the last percentile but one. */
    private static String histogram(FieldFit field, @Nullable FieldFit before) {
        double from = field.percentiles().get(1);
        double to = field.percentiles().get(field.percentiles().size() - 2);
        double[] shares = shares(field, from, to);
        double[] others = before == null || before.percentiles().isEmpty() ? shares : shares(before, from, to);
        double most = DoubleStream.concat(DoubleStream.of(shares), DoubleStream.of(others))
                .max()
                .orElseThrow();
        double wide = (double) WIDTH / BINS;
        StringBuilder bars = new StringBuilder();
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < BINS; i++) {
            double high = HEIGHT * shares[i] / most;
            String size = format("width='%.1f' height='%.1f'", wide - 1, high);
            bars.append(format("<rect x='%.1f' y='%.1f' %s/>", i * wide, HEIGHT - high, size));
            line.append(format("%.1f,%.1f ", (i + 0.5) * wide, HEIGHT - HEIGHT * others[i] / most));
        }
        String compared = others == shares ? "" : "<polyline points='" + line + "'/>";
        String ends = format("<text x='0' y='%d'>%.4g</text>", HEIGHT + 11, from)
                + format("<text x='%d' y='%d' text-anchor='end'>%.4g</text>", WIDTH, HEIGHT + 11, to);
        return svg(HEIGHT + 12) + bars + compared + ends + "</svg>";
    }

    private static double[] shares(FieldFit field, double from, double to) {
        double[] shares = new double[BINS];
        if (field.classes().isEmpty()) {
            List<Double> percentiles = field.percentiles();
            for (int i = 2; i < percentiles.size() - 1; i++) { // each hundredth lies evenly between two of them
                double low = percentiles.get(i - 1);
                double high = percentiles.get(i);
                for (int part = 0; part < BINS; part++) {
                    add(shares, low + (high - low) * (part + 0.5) / BINS, 0.01 / BINS, from, to);
                }
            }
        } else {
            double all = Math.max(1, field.values() - field.missing());
            field.classes().forEach((value, times) -> add(shares, Double.parseDouble(value), times / all, from, to));
        }
        return shares;
    }

    private static void add(double[] shares, double value, double share, double from, double to) {
        double at = to > from ? (value - from) / (to - from) * BINS : BINS / 2.0;
        if (at >= 0 && at <= BINS) {
            shares[Math.min(BINS - 1, (int) at)] += share;
        }
    }

    static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }

    private static String svg(int height) {
        return "<svg viewBox='0 0 %d %d' role='img'>".formatted(WIDTH, height);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&#39;");
    }
}
