package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The coordinates that the README shows are those of the build. */
final class CoordinatesTest {

    private static final Path ROOT = Path.of(System.getProperty("penstock.root", "../.."));
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(penstock-[a-z]+)</artifactId>");

    @Test
    void version_ofReadmeAndBom_isThatOfTheBuild() throws IOException {
        String version = first("<version>([^<]+)</version>", read("pom.xml"));

        assertThat(first("<version>([^<]+)</version>", read("bom/pom.xml"))).isEqualTo(version);
        assertThat(first("penstock-bom</artifactId>\\s*<version>([^<]+)<", read("README.md")))
                .isEqualTo(version);
        assertThat(first("penstock-bom:([^\"]+)\"", read("README.md"))).isEqualTo(version);
        assertThat(read("CHANGELOG.md")).contains("## " + version);
    }

    @Test
    void artifacts_ofBom_areThoseOfTheModules() throws IOException {
        List<String> bom = artifacts(read("bom/pom.xml"));

        assertThat(bom).startsWith("penstock-bom").hasSize(5);
        for (String module : List.of("pipeline-core", "operators", "sources", "sinks")) {
            assertThat(bom).contains(artifacts(read(module + "/pom.xml")).get(0));
        }
    }

    private static List<String> artifacts(String pom) {
        return ARTIFACT.matcher(pom).results().map(found -> found.group(1)).toList();
    }

    private static String first(String pattern, String text) {
        MatchResult found =
                Pattern.compile(pattern).matcher(text).results().findFirst().orElseThrow();
        return found.group(1);
    }

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }
}
