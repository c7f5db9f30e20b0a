package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.folder.ImageFolder;
import io.penstock.store.FileStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class FileNamesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path temp;

    /** A file named by its raw bytes, whatever the locale of the test. */
    private Path write(String percentEncoded, String text) throws IOException {
        Path file = Path.of(URI.create(temp.toRealPath().toUri() + percentEncoded));
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    /** What the other process of the next test runs: prints each sample's name and content. */
    public static final class ListAndRead {
        private ListAndRead() {}

        public static void main(String[] args) throws IOException {
            ImageFolder images = ImageFolder.open(Path.of(URI.create(args[0])));
            StringBuilder lines = new StringBuilder();
            for (long i = 0; i < images.size(); i++) {
                lines.append(images.get(i)
                                .map(file -> file.name() + " " + file.bytes().toText() + " "
                                        + images.id(file.label()).key())
                                .block())
                        .append('\n');
            }
            System.out.write(lines.toString().getBytes(StandardCharsets.UTF_8));
            System.out.flush();
        }
    }

    private String listAndRead(String locale) throws Exception {
        ProcessBuilder java = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ListAndRead.class.getName(),
                temp.toRealPath().toUri().toString());
        java.environment().remove("LANG");
        java.environment().put("LC_ALL", locale);
        Process process = java.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (InputStream out = process.getInputStream()) {
            String lines = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).isZero();
            return lines;
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void names_inAnyLocale_areTheirUtf8() throws Exception {
        write("%C3%84pfel/gr%C3%BCn%201.jpg", "apple");
        write("b/%E5%AD%97+%25.png", "letter");
        write("b/plain.png", "plain");

        String inC = listAndRead("C");
        String inUtf8 = listAndRead("C.UTF-8");

        assertThat(inC.lines().map(line -> line.substring(0, line.lastIndexOf(' '))))
                .isEqualTo(List.of("b/plain.png plain", "b/字+%.png letter", "Äpfel/grün 1.jpg apple"));
        assertThat(inUtf8).isEqualTo(inC);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void list_nameThatIsNotUtf8_saysWhich() throws IOException {
        write("a/caf%E9.jpg", "x");
        FileStore store = FileStore.open(temp);

        assertThatThrownBy(() -> store.list((key, size, version) -> {}))
                .isInstanceOf(StoreException.class)
                .hasMessage("file name is not UTF-8: " + temp.toRealPath().toUri() + "a/caf%E9.jpg; rename it");
    }
}
