package io.penstock.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
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
public final class Plot {

    private static final int WIDTH = 1000;
    private static final int HEIGHT = 620;
    private static final BasicStroke THICK = new BasicStroke(2.2f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    private static final BasicStroke THIN = new BasicStroke(1.6f);

    /** From dark to light. */
    private static final List<Color> COLOURS = Stream.of(0x111111, 0x0B4F9E, 0xB8432F, 0xE69F00, 0x8A8A8A, 0x56B4E9)
            .map(Color::new)
            .toList();

    private static final List<Marker> MARKERS = List.of(
            SeriesMarkers.CIRCLE,
            SeriesMarkers.SQUARE,
            SeriesMarkers.TRIANGLE_UP,
            SeriesMarkers.DIAMOND,
            SeriesMarkers.TRIANGLE_DOWN,
            SeriesMarkers.CROSS);

    private Plot() {}

    /** A picture of a chart. */
    public static byte[] png(Chart chart) {
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
        for (Chart.Line line : chart.lines()) {
            double[] xs = line.dots().stream().mapToDouble(Chart.Dot::x).toArray();
            double[] medians =
                    line.dots().stream().mapToDouble(Chart.Dot::median).toArray();
            XYSeries series = drawn.addSeries(line.name(), xs, medians);
            if (line.kind() == Chart.Kind.THEORY) {
                stroke(series, Color.DARK_GRAY, THIN).setMarker(SeriesMarkers.NONE);
            } else {
                Color colour = COLOURS.get(measured % COLOURS.size());
                stroke(series, colour, THICK).setMarker(MARKERS.get(measured % MARKERS.size()));
                series.setMarkerColor(colour);
                if (besideTheory || line.kind() == Chart.Kind.APART) {
                    series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
                }
                spans(drawn, line, colour);
                measured++;
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

    private static XYSeries stroke(XYSeries series, Color colour, BasicStroke stroke) {
        series.setLineColor(colour);
        series.setLineStyle(stroke);
        return series;
    }

    private static void spans(XYChart drawn, Chart.Line line, Color colour) {
        for (Chart.Dot dot : line.dots()) {
            if (dot.min() < dot.max()) {
                double[] xs = {dot.x(), dot.x()};
                double[] ys = {dot.min(), dot.max()};
                XYSeries span = drawn.addSeries(line.name() + " at " + dot.x(), xs, ys);
                stroke(span, colour, THIN).setMarker(SeriesMarkers.NONE);
                span.setShowInLegend(false);
            }
        }
    }

    private static void style(XYStyler styler, Chart chart) {
        styler.setLocale(Locale.ROOT);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setLegendPosition(LegendPosition.OutsideS);
        styler.setLegendLayout(LegendLayout.Horizontal);
        styler.setLegendBorderColor(Color.WHITE);
        styler.setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 16));
        styler.setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 14));
        styler.setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 15));
        styler.setMarkerSize(9);
        styler.setXAxisLogarithmic(chart.x().logarithmic());
        styler.setYAxisLogarithmic(chart.y().logarithmic());
        if (chart.y().logarithmic()) { // has labels at powers of ten only, so it spans whole ones
            DoubleSummaryStatistics powers = chart.lines().stream()
                    .flatMap(line -> line.dots().stream())
                    .flatMapToDouble(dot -> DoubleStream.of(dot.min(), dot.max()))
                    .map(Math::log10)
                    .summaryStatistics();
            styler.setYAxisMin(Math.pow(10, Math.floor(powers.getMin())));
            styler.setYAxisMax(Math.pow(10, Math.ceil(powers.getMax())));
        } else {
            styler.setYAxisMin(0.0); // compared lengths begin at 0
        }
        if (chart.x().places() > 0) {
            styler.setXAxisMin(0.5);
            styler.setXAxisMax(chart.x().places() + 0.5);
            styler.setXAxisTickMarkSpacingHint(WIDTH / (chart.x().places() + 1));
            styler.setPlotGridVerticalLinesVisible(false);
        }
        styler.setXAxisTickLabelsFormattingFunction(Plot::number);
        styler.setYAxisTickLabelsFormattingFunction(Plot::number);
    }

    static String number(double value) {
        double size = Math.abs(value);
        if (size != 0 && (size < 1e-3 || size >= 1e7)) {
            return String.format(Locale.ROOT, "%.0e", value).replaceAll("e\\+?(-?)0*", "e$1");
        }
        return size < 10
                ? String.format(Locale.ROOT, "%.4f", value).replaceAll("\\.?0+$", "")
                : String.format(Locale.ROOT, size < 100 && value != Math.rint(value) ? "%.1f" : "%,.0f", value);
    }
}
