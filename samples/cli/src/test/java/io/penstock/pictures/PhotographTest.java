package io.penstock.pictures;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PhotographTest {

    @TempDir
    private Path folder;

    @Test
    void jpeg_ofANumber_isAlwaysTheSame() {
        byte[] once = Photograph.of(7).jpeg();
        byte[] again = Photograph.of(7).jpeg();

        assertThat(again).isEqualTo(once);
        assertThat(Photograph.of(17).jpeg()).isNotEqualTo(once);
    }

    @Test
    void jpeg_isOfACamerasSizeAndWeight() throws IOException {
        byte[] jpeg = Photograph.of(3).jpeg();
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(jpeg));

        assertThat(image.getWidth()).isBetween(533 - 48, 533 + 48);
        assertThat(image.getHeight()).isBetween(400 - 48, 400 + 48);
        assertThat(jpeg).hasSizeBetween(20_000, 120_000);
    }

    @Test
    void write_spreadsPicturesOverClasses() throws IOException {
        List<Integer> made = PictureFolder.write(folder, 23).collectList().block();

        assertThat(made).hasSize(23).last().isEqualTo(23);
        assertThat(files("class-0")).hasSize(3);
        assertThat(files("class-9")).hasSize(2);
    }

    @Test
    void write_thatIsToldToStop_completesTheFilesThatItBegan() throws IOException {
        AtomicInteger made = new AtomicInteger();

        PictureFolder.write(List.of(folder), 200, () -> made.get() >= 3)
                .doOnNext(made::set)
                .blockLast();

        assertThat(files("")).isNotEmpty();
        int written = 0;
        for (Path label : files("")) {
            written += files(label.getFileName().toString()).size();
        }
        assertThat(written).isEqualTo(made.get()).isBetween(3, 100);
    }

    private List<Path> files(String label) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(label))) {
            return files.toList();
        }
    }
}
