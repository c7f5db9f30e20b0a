package io.penstock.programs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of the documentation: README.md, or one of docs and docs/dev. */
record Document(Path file, String text) {

    private static final Path ROOT = Path.of(System.getProperty("penstock.root"));
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    static List<Document> all() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs.sorted())
                    .filter(file -> file.toString().endsWith(".md"))
                    .map(Document::read)
                    .toList();
        }
    }

    static Document read(Path file) {
        try {
            return new Document(file, Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its blocks of Java, without those for a library that is not here. */
    List<String> snippets() {
        return JAVA.matcher(text)
                .results()
                .map(block -> block.group(1))
                .filter(block -> OnnxModel.isRuntimeHere() || !block.contains("ai.onnxruntime"))
                .toList();
    }

    @Override
    public String toString() {
        return ROOT.relativize(file).toString();
    }
}
