package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pictures.PictureFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/getting-started.md. */
class GettingStartedTest {

    private static final Path ROOT = Path.of(System.getProperty("penstock.root"));
    private static final Document PAGE = Document.read(ROOT.resolve("docs/getting-started.md"));

    @TempDir
    private Path folder;

    @Test
    void program_onAFolderOfPictures_loadsEachOnce() throws Exception {
        Path pictures = folder.resolve("pictures");
        PictureFolder.write(pictures, 20).blockLast();
        List<String> programs =
                PAGE.snippets().stream().filter(Snippets::isProgram).toList();

        String printed = new Snippets(folder).run(programs.get(0), pictures.toString());

        assertThat(programs).hasSize(1);
        assertThat(printed.lines())
                .hasSize(4)
                .startsWith("epoch 0: 20 pictures of [class-0, class-1, class-2, class-3, class-4, class-5, class-6,"
                        + " class-7, class-8, class-9]")
                .endsWith("loaded 20, hits {ram=40}");
    }

    @Test
    void versions_ofTheProjectShown_areThoseOfTheBuild() {
        String build = Document.read(ROOT.resolve("pom.xml")).text();
        Pattern version = Pattern.compile("</artifactId><version>([^<]+)</version>");
        List<String> shown = version.matcher(PAGE.text())
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList();

        assertThat(shown).hasSize(1);
        assertThat(build).contains("<artifactId>penstock</artifactId>\n  <version>" + shown.get(0) + "</version>");
    }
}
