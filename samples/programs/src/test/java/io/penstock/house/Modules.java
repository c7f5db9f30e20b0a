package io.penstock.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The modules and the classes they hold, as compiled. */
final class Modules {

    static final List<String> LIBRARIES = List.of("pipeline-core", "operators", "sources", "sinks");

    /** The modules under samples, of which some are built by a profile only, and those that each of them may use. */
    static final Map<String, Set<String>> SAMPLES = Map.of(
            "cli", Set.of(),
            "bench", Set.of("cli"),
            "train", Set.of("cli", "bench"),
            "spark", Set.of("cli"),
            "peers", Set.of("cli", "bench"));

    /**
     * {@code …/sinks/target/classes/…} and {@code …/penstock-sinks-0.1.0.jar!/…} are in sinks, {@code …/cli.jar!/…} is in
     * cli.
     */
    private static final Pattern PLACE = Pattern.compile(".*/(%s)(?:/target/.*|(?:-[^/]*)?\\.jar!/.*)"
            .formatted(Stream.of(LIBRARIES, SAMPLES.keySet())
                    .flatMap(Collection::stream)
                    .collect(Collectors.joining("|"))));

    /** Tests, also where a jar has them, and what the benchmark harness generates. */
    private static final Pattern NOT_SHIPPED = Pattern.compile(".*(/test-classes/|-tests\\.jar!|jmh_generated).*");

    private Modules() {}

    static Path root() {
        return Path.of(System.getProperty("penstock.root", ".."));
    }

    /** Read once in a JVM, by the first test that asks. */
    private static final class Shipped {
        static final JavaClasses CLASSES = new ClassFileImporter()
                .withImportOption(location -> !location.matches(NOT_SHIPPED))
                .importPackages("io.penstock");
    }

    static JavaClasses shipped() {
        return Shipped.CLASSES;
    }

    static String of(JavaClass type) {
        URI place = type.getSource().orElseThrow().getUri();
        String folder =
                place.toString().replace("/penstock-core", "/pipeline-core").replace("/penstock-", "/");
        Matcher matcher = PLACE.matcher(folder);
        if (!matcher.matches()) {
            throw new IllegalStateException(type.getName() + " is in none of the modules: " + place);
        }
        return matcher.group(1);
    }
}
