package io.penstock.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

class PlotTest {

    @Test
    void png_ofAChart_isAPictureWithItsLines() throws IOException {
        List<Chart.Dot> dots = List.of(new Chart.Dot(0, Spread.of(1, 2, 4)), Chart.Dot.of(50, 3));
        Chart.Line line = new Chart.Line("measured", Chart.Kind.MEASURED, dots);

        Chart.Line other =
                new Chart.Line("other", Chart.Kind.MEASURED, List.of(Chart.Dot.of(0, 4), Chart.Dot.of(50, 1)));

        BufferedImage with = drawn(List.of(line, other));
        BufferedImage without = drawn(List.of(line));

        assertThat(with.getWidth()).isEqualTo(1000);
        assertThat(darkness(with)).isGreaterThan(darkness(without)).isGreaterThan(1000);
    }

    @Test
    void png_ofALogarithmicAndANamedAxis_isDrawn() throws IOException {
        Chart.Line line = new Chart.Line("a", Chart.Kind.MEASURED, List.of(Chart.Dot.of(1, 1e3), Chart.Dot.of(2, 1e6)));

        byte[] png = Plot.png(new Chart(
                "f",
                "t",
                Chart.Axis.named("x", List.of("p50", "p99")),
                Chart.Axis.logarithmic("y [ns]"),
                List.of(line)));

        assertThat(ImageIO.read(new ByteArrayInputStream(png)).getHeight()).isEqualTo(620);
    }

    @Test
    void number_ofATick_isShort() {
        assertThat(List.of(0.0, 0.25, 5.0, 12.5, 100.0, 25000.0, 1e9, 1e11, 1e-6).stream()
                        .map(Plot::number))
                .containsExactly("0", "0.25", "5", "12.5", "100", "25,000", "1e9", "1e11", "1e-6");
    }

    @Test
    void power_ofATick_isTheExponentOfTen() {
        assertThat(List.of(1e-6, 1.0, 1e3, 1e12).stream().map(Plot::power))
                .containsExactly("10⁻⁶", "10⁰", "10³", "10¹²");
    }

    private static BufferedImage drawn(List<Chart.Line> lines) throws IOException {
        Chart chart = new Chart("f", "title", Chart.Axis.linear("x [%]"), Chart.Axis.linear("y [s]"), lines);
        return ImageIO.read(new ByteArrayInputStream(Plot.png(chart)));
    }

    private static long darkness(BufferedImage image) {
        return IntStream.range(0, image.getWidth() * image.getHeight())
                .filter(i -> (image.getRGB(i % image.getWidth(), i / image.getWidth()) >> 8 & 0xFF) < 0x80)
                .count();
    }
}
