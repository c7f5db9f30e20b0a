package io.penstock.programs;

import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Small data for programs that get none. They are made once in a working folder. */
final class MadeData {

    /** Of the pictures in the first folder. */
    static final int CLASSES = 5;

    private MadeData() {}

    /** Two folders of pictures, five classes in each. */
    static List<Path> pictures(Path work) throws IOException {
        Path first = work.resolve("first");
        Path second = work.resolve("second");
        if (!Files.exists(second)) {
            PictureFolder.write(first, 240).blockLast();
            Files.createDirectories(second);
            for (int label = CLASSES; label < PictureFolder.CLASSES; label++) {
                Files.move(first.resolve("class-" + label), second.resolve("class-" + label));
            }
        }
        return List.of(first, second);
    }

    /** A text of lines, and JSON lines with a question and its answer. */
    static List<Path> texts(Path work) throws IOException {
        Path text = work.resolve("text.txt");
        Path questions = work.resolve("questions.jsonl");
        if (!Files.exists(questions)) {
            Files.write(
                    text,
                    IntStream.range(0, 2_000)
                            .mapToObj("%d green bottles hang on the wall"::formatted)
                            .toList());
            Files.write(
                    questions,
                    IntStream.range(0, 2_000)
                            .mapToObj(n -> "{\"question\":\"%d plus %d?\",\"answer\":\"= %d\"}".formatted(n, n, 2 * n))
                            .toList());
        }
        return List.of(text, questions);
    }
}
