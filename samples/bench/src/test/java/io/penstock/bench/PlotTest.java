package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

class PlotTest {

    private static Chart.Line line(String name, Chart.Dot... dots) {
        return new Chart.Line(name, Chart.Kind.MEASURED, List.of(dots));
    }

    @Test
    void png_ofAChart_isAPictureWithItsLines() throws IOException {
        Chart.Line line = line("measured", Chart.Dot.of(0, 1, 2, 4), Chart.Dot.of(50, 3));
        Chart.Line other = line("other", Chart.Dot.of(0, 4), Chart.Dot.of(50, 1));

        BufferedImage with = drawn(List.of(line, other));
        BufferedImage without = drawn(List.of(line));

        assertThat(with.getWidth()).isEqualTo(1000);
        assertThat(darkness(with)).isGreaterThan(darkness(without)).isGreaterThan(1000);
    }

    @Test
    void png_ofALogarithmicAndANamedAxis_isDrawn() throws IOException {
        byte[] png = Plot.png(new Chart(
                "f",
                "t",
                Chart.Axis.named("x", List.of("p50", "p99")),
                Chart.Axis.logarithmic("y [ns]"),
                List.of(line("a", Chart.Dot.of(1, 1e3), Chart.Dot.of(2, 1e6)))));

        assertThat(ImageIO.read(new ByteArrayInputStream(png)).getHeight()).isEqualTo(620);
    }

    @Test
    void number_ofATick_isShort() {
        assertThat(List.of(0.0, 0.25, 5.0, 12.5, 100.0, 25000.0, 1e9, 1e11, 1e-6).stream()
                        .map(Plot::number))
                .containsExactly("0", "0.25", "5", "12.5", "100", "25,000", "1e9", "1e11", "1e-6");
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
