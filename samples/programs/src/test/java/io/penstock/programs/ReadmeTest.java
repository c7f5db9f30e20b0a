package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.batch.Batch;
import io.penstock.order.Position;
import io.penstock.pictures.PictureFolder;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first program of README.md. */
class ReadmeTest {

    private static final int MADE = 20;
    private static final int PICTURES = 300;
    private static final Path README = Path.of(System.getProperty("penstock.root"), "README.md");

    @TempDir
    private Path folder;

    private int trained;
    private int validated;

    @Test
    void program_onPictures_trainsAndValidatesAndKeepsThemOnDisk() throws Exception {
        Path pictures = folder.resolve("pictures");
        PictureFolder.write(pictures, MADE).blockLast();
        for (int i = MADE; i < PICTURES; i++) {
            Path folderOfClass = pictures.resolve("class-" + i % 10);
            Files.copy(
                    folderOfClass.resolve("%05d.jpg".formatted(i % MADE)),
                    folderOfClass.resolve("%05d.jpg".formatted(i)));
        }
        Path disk = folder.resolve("cache");

        train(pictures, disk);

        assertThat(trained).isEqualTo(256);
        assertThat(validated).isEqualTo(31);
        assertThat(disk).isNotEmptyDirectory();
    }

    /** The last of its 90 epochs. */
    private void train(Path pictures, Path disk) throws Exception {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        Object program = new Snippets(classes)
                .instance(List.of(Document.read(README).snippets().get(0)));
        Method train = Arrays.stream(program.getClass().getDeclaredMethods())
                .filter(method -> method.getName().equals("train"))
                .findFirst()
                .orElseThrow();
        train.setAccessible(true);
        Consumer<Batch> step = batch -> trained += batch.size();
        Consumer<Batch> validate = batch -> {
            try (batch) {
                validated += batch.size();
            }
        };
        train.invoke(program, pictures, disk, new Position(89, 0), step, validate);
    }
}
