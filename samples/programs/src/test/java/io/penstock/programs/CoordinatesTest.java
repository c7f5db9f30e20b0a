package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.internal.OptionalLibrary;
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
    private static final Pattern PROPERTY = Pattern.compile("\\$\\{([^}]+)}");
    private static final Pattern OPTIONAL =
            Pattern.compile("<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*"
                    + "(?:<classifier>[^<]*</classifier>\\s*)?(?:<scope>runtime</scope>\\s*)?<optional>true<");

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

        assertThat(bom).startsWith("penstock-bom").hasSize(6);
        for (String module : List.of("pipeline-core", "operators", "sources", "sinks", "testkit")) {
            assertThat(bom).contains(artifacts(read(module + "/pom.xml")).get(0));
        }
    }

    /** Besides them a release needs the page and the repository, which are the owner's to name. */
    @Test
    void poms_ofWhatIsPublished_sayWhatMavenCentralAsksFor() throws IOException {
        String root = read("pom.xml");
        String bom = read("bom/pom.xml"); // it has no parent
        assertThat(List.of(root, bom)).allSatisfy(pom -> assertThat(pom).contains("<license>", "<developer>"));
        assertThat(bom.contains("<scm>")).isEqualTo(root.contains("<scm>"));
        for (String module : List.of("bom", "pipeline-core", "operators", "sources", "sinks", "testkit")) {
            assertThat(read(module + "/pom.xml")).as(module).contains("<name>", "<description>");
        }
    }

    @Test
    void flags_ofTheArgumentFile_areThoseOfTheTests() throws IOException {
        List<String> flags =
                read("jvm.args").lines().filter(line -> !line.startsWith("#")).toList();

        assertThat(first("<jvm.flags>([^<]+)<", read("pom.xml")).split(" ")).containsExactlyInAnyOrderElementsOf(flags);
    }

    @Test
    void optionalLibraries_areOnThePageInTheVersionsOfTheBuild() throws IOException {
        String build = read("pom.xml");
        String page = read("docs/libraries.md");

        for (String module : List.of("pipeline-core", "operators", "sources", "sinks", "testkit")) {
            OPTIONAL.matcher(read(module + "/pom.xml"))
                    .results()
                    .forEach(found -> assertThat(page)
                            .contains("| `%s:%s` | %s |"
                                    .formatted(
                                            found.group(1),
                                            found.group(2),
                                            version(build, found.group(1), found.group(2)))));
        }
    }

    @Test
    void artifacts_ofMessages_areOnThePageInTheSameVersions() throws IOException {
        String page = read("docs/libraries.md");

        for (OptionalLibrary library : OptionalLibrary.values()) {
            for (String artifact : library.artifacts()) {
                String[] parts = artifact.split(":", -1);
                assertThat(page).contains("| `%s:%s` | %s |".formatted(parts[0], parts[1], parts[2]));
            }
        }
    }

    /** As dependencyManagement says it; those of BOMs have a property. */
    private static String version(String build, String group, String artifact) {
        String named = "<groupId>" + Pattern.quote(group) + "</groupId>\\s*<artifactId>" + Pattern.quote(artifact)
                + "</artifactId>\\s*<version>([^<]+)<";
        String version = group.equals("io.micrometer") ? "${micrometer.version}" : first(named, build);
        for (MatchResult property =
                        PROPERTY.matcher(version).results().findFirst().orElse(null);
                property != null;
                property = PROPERTY.matcher(version).results().findFirst().orElse(null)) {
            String value = first("<" + Pattern.quote(property.group(1)) + ">([^<]+)<", build);
            version = version.replace(property.group(), value);
        }
        return version;
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
