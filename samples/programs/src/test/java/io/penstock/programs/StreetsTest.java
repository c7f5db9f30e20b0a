package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/pictures.md. */
class StreetsTest {

    private static final Document PAGE =
            Document.read(Path.of(System.getProperty("penstock.root"), "docs", "pictures.md"));

    @TempDir
    private Path folder;

    @Test
    void program_onPicturesWithMasks_batchesThemAugmented() throws Exception {
        byte[] shades = {0, 100};
        IndexColorModel palette = new IndexColorModel(8, 2, shades, shades, shades);
        for (int i = 0; i < 8; i++) {
            write(new BufferedImage(90, 80, BufferedImage.TYPE_3BYTE_BGR), "jpg", i);
            write(new BufferedImage(90, 80, BufferedImage.TYPE_BYTE_INDEXED, palette), "png", i);
        }

        String printed = new Snippets(folder)
                .run(
                        PAGE.snippets().stream()
                                .filter(Snippets::isProgram)
                                .findFirst()
                                .orElseThrow(),
                        folder.toString());

        assertThat(printed.lines()).containsExactly("u8[4, 64, 64, 3] u8[4, 64, 64]", "u8[4, 64, 64, 3] u8[4, 64, 64]");
    }

    private void write(BufferedImage image, String format, int number) throws IOException {
        assertThat(ImageIO.write(
                        image, format, folder.resolve(number + "." + format).toFile()))
                .isTrue();
    }
}
