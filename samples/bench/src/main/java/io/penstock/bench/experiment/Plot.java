package io.penstock.bench.experiment;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Draws charts. Lines differ by marker and by lightness, so that a grey copy is readable. Theory is a thin line
 * without markers; measurements beside it have markers only. A vertical stroke through a marker spans all repetitions.
 */
final class Plot {

    private static final int WIDTH = 1000;
    private static final int HEIGHT = 620;
    private static final float THICK = 2.2f;
    private static final float THIN = 1.6f;
    private static final String SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻";
    private static final int BAND = 12; // max labels of an axis

    /** From dark to light. */
    private static final List<Color> COLOURS = List.of(
            new Color(0x111111),
            new Color(0x0B4F9E),
            new Color(0xB8432F),
            new Color(0xE69F00),
            new Color(0x8A8A8A),
            new Color(0x56B4E9));

    private static final List<Marker> MARKERS = List.of(
            SeriesMarkers.CIRCLE,
            SeriesMarkers.SQUARE,
            SeriesMarkers.TRIANGLE_UP,
            SeriesMarkers.DIAMOND,
            SeriesMarkers.TRIANGLE_DOWN,
            SeriesMarkers.CROSS);

    private Plot() {}

    static byte[] png(Chart chart) {
        XYChart drawn = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(chart.title())
                .xAxisTitle(chart.x().title())
                .yAxisTitle(chart.y().title())
                .build();
        style(drawn.getStyler(), chart);
        boolean besideTheory = chart.lines().stream().anyMatch(line -> line.kind() == Chart.Kind.THEORY);
        int measured = 0;
        int theories = 0;
        for (Chart.Line line : chart.lines()) {
            if (line.kind() == Chart.Kind.THEORY) {
                theory(drawn, line, theories++);
            } else {
                measured(drawn, line, measured++, besideTheory);
            }
        }
        try {
            ByteArrayOutputStream png = new ByteArrayOutputStream();
            ImageIO.write(BitmapEncoder.getBufferedImage(drawn), "png", png);
            return png.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot draw " + chart.title(), e);
        }
    }

    private static void style(XYStyler styler, Chart chart) {
        styler.setLocale(Locale.ROOT);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotGridLinesColor(new Color(0xDDDDDD));
        styler.setLegendPosition(LegendPosition.OutsideS);
        styler.setLegendLayout(LegendLayout.Horizontal);
        styler.setLegendBorderColor(Color.WHITE);
        styler.setLegendPadding(14);
        styler.setChartTitleFont(font(Font.BOLD, 18));
        styler.setAxisTitleFont(font(Font.PLAIN, 16));
        styler.setAxisTickLabelsFont(font(Font.PLAIN, 14));
        styler.setLegendFont(font(Font.PLAIN, 15));
        styler.setMarkerSize(9);
        styler.setXAxisLogarithmic(chart.x().isLogarithmic());
        styler.setYAxisLogarithmic(chart.y().isLogarithmic());
        if (chart.y().isLogarithmic()) { // has labels at powers of ten only, so it spans whole ones
            DoubleSummaryStatistics powers = chart.lines().stream()
                    .flatMap(line -> line.dots().stream())
                    .flatMapToDouble(
                            dot -> DoubleStream.of(dot.y().min(), dot.y().max()))
                    .map(Math::log10)
                    .summaryStatistics();
            styler.setYAxisMin(Math.pow(10, Math.floor(powers.getMin())));
            styler.setYAxisMax(Math.pow(10, Math.ceil(powers.getMax())));
        } else {
            styler.setYAxisMin(0.0); // compared lengths begin at 0
        }
        if (chart.x().named() > 0) {
            styler.setXAxisMin(0.5);
            styler.setXAxisMax(chart.x().named() + 0.5);
            styler.setXAxisTickMarkSpacingHint(WIDTH / (chart.x().named() + 1));
            styler.setPlotGridVerticalLinesVisible(false);
        }
        styler.setXAxisTickLabelsFormattingFunction(
                switch (chart.x().scale()) {
                    case PERCENTILES -> Plot::percentile;
                    case LOGARITHMIC -> Plot::power;
                    case LINEAR -> Plot::number;
                });
        styler.setYAxisTickLabelsFormattingFunction(Plot::number);
    }

    private static Font font(int style, int size) {
        return new Font(Font.SANS_SERIF, style, size);
    }

    static String number(double value) {
        double size = Math.abs(value);
        if (size != 0 && (size < 1e-3 || size >= 1e7)) {
            return String.format(Locale.ROOT, "%.0e", value)
                    .replace("e+0", "e")
                    .replace("e+", "e")
                    .replace("e-0", "e-");
        }
        if (size < 10) {
            String text = String.format(Locale.ROOT, "%.4f", value);
            return text.replaceAll("\\.?0+$", "");
        }
        return String.format(Locale.ROOT, size < BAND * 10 && value != Math.rint(value) ? "%.1f" : "%,.0f", value);
    }

    /** A tick of an axis that labels only powers of ten. */
    static String power(double value) {
        return "10"
                + Long.toString(Math.round(Math.log10(value)))
                        .chars()
                        .mapToObj(digit -> String.valueOf(SUPERSCRIPTS.charAt(digit == '-' ? 10 : digit - '0')))
                        .collect(Collectors.joining());
    }

    private static String percentile(double tail) {
        return number(Math.round(1e7 * (1 - 1 / tail)) / 1e5) + " %";
    }

    private static void theory(XYChart drawn, Chart.Line line, int number) {
        XYSeries series = drawn.addSeries(line.name(), xs(line), medians(line));
        series.setMarker(SeriesMarkers.NONE);
        series.setLineColor(number % 2 == 0 ? new Color(0x333333) : new Color(0x8A8A8A));
        series.setLineStyle(new BasicStroke(THIN, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND));
    }

    private static void measured(XYChart drawn, Chart.Line line, int number, boolean besideTheory) {
        Color colour = COLOURS.get(number % COLOURS.size());
        XYSeries series = drawn.addSeries(line.name(), xs(line), medians(line));
        series.setMarker(MARKERS.get(number % MARKERS.size()));
        series.setMarkerColor(colour);
        series.setLineColor(colour);
        series.setLineStyle(new BasicStroke(THICK, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
        if (besideTheory || line.kind() == Chart.Kind.APART) {
            series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        }
        for (Chart.Dot dot : line.dots()) {
            if (dot.y().min() < dot.y().max()) {
                XYSeries range =
                        drawn.addSeries(line.name() + " at " + dot.x(), new double[] {dot.x(), dot.x()}, new double[] {
                            dot.y().min(), dot.y().max()
                        });
                range.setMarker(SeriesMarkers.NONE);
                range.setLineColor(colour);
                range.setLineStyle(new BasicStroke(THIN));
                range.setShowInLegend(false);
            }
        }
    }

    private static double[] xs(Chart.Line line) {
        return line.dots().stream().mapToDouble(Chart.Dot::x).toArray();
    }

    private static double[] medians(Chart.Line line) {
        return line.dots().stream().mapToDouble(dot -> dot.y().median()).toArray();
    }
}
