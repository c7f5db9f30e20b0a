package io.penstock.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The five modules and the classes they hold, as compiled. */
final class Modules {

    static final List<String> LIBRARIES = List.of("pipeline-core", "operators", "sources", "sinks");
    static final String SAMPLES = "samples";

    /** {@code …/sinks/target/classes/…} and {@code …/sinks-0.1.0.jar!/…} are both in sinks. */
    private static final Pattern PLACE =
            Pattern.compile(".*/(pipeline-core|operators|sources|sinks|samples)(?:/target/.*|-[^/]*\\.jar!/.*)");

    private Modules() {}

    static Path root() {
        return Path.of(System.getProperty("penstock.root", ".."));
    }

    /** Every class of ours that ships, without what the benchmark harness generates. */
    static JavaClasses shipped() {
        return new ClassFileImporter()
                .withImportOption(location -> !location.contains("test-classes") && !location.contains("jmh_generated"))
                .importPackages("io.penstock");
    }

    static String of(JavaClass type) {
        URI place = type.getSource().orElseThrow().getUri();
        Matcher matcher = PLACE.matcher(place.toString());
        if (!matcher.matches()) {
            throw new IllegalStateException(type.getName() + " is in none of the modules: " + place);
        }
        return matcher.group(1);
    }
}
