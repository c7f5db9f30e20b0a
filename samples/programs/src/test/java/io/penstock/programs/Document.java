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

    static final String TENSORFLOW = "org.tensorflow.Session";

    private static final Path ROOT = Path.of(System.getProperty("penstock.root"));
    private static final List<String> OPTIONAL = List.of(OnnxModel.RUNTIME, TENSORFLOW);
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

    static boolean isHere(String type) {
        try {
            Class.forName(type, false, Document.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Its blocks of Java, without those for a library that is not here: only profiles have it. */
    List<String> snippets() {
        return JAVA.matcher(text)
                .results()
                .map(block -> block.group(1))
                .filter(block -> OPTIONAL.stream()
                        .filter(type -> block.contains(type.substring(0, type.lastIndexOf('.'))))
                        .allMatch(Document::isHere))
                .toList();
    }

    @Override
    public String toString() {
        return ROOT.relativize(file).toString();
    }
}
