package io.penstock.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** pipeline-core &lt;- operators, sources, sinks &lt;- samples, and no arrow sideways. */
class ArrowsTest {

    private static final JavaClasses SHIPPED = Modules.shipped();

    @Test
    void tensors_whateverTheyDo_needTheJdkAlone() {
        classes()
                .that()
                .resideInAPackage("io.penstock.tensor..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "io.penstock.tensor..", "org.jspecify..")
                .check(SHIPPED);
    }

    @Test
    void modules_allOfThem_dependAlongTheArrows() {
        List<String> against = SHIPPED.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> ours(dependency.getTargetClass()))
                .filter(dependency ->
                        !mayUse(Modules.of(dependency.getOriginClass()), Modules.of(dependency.getTargetClass())))
                .map(Dependency::getDescription)
                .toList();

        assertThat(against).isEmpty();
    }

    @Test
    void packages_allOfThem_liveInOneModule() {
        Map<String, Set<String>> modules = SHIPPED.stream()
                .collect(groupingBy(JavaClass::getPackageName, TreeMap::new, mapping(Modules::of, toSet())));

        assertThat(modules).allSatisfy((name, homes) -> assertThat(homes).hasSize(1));
        assertThat(modules.entrySet().stream()
                        .filter(entry -> entry.getValue().contains("pipeline-core"))
                        .map(Map.Entry::getKey))
                .containsExactly("io.penstock.access", "io.penstock.internal", "io.penstock.pipeline", "io.penstock.tensor");
    }

    @Test
    void packages_allOfThem_dependInNoCircle() {
        slices().matching("io.penstock.(*)..").should().beFreeOfCycles().check(SHIPPED);
    }

    private static boolean ours(JavaClass type) {
        return type.getBaseComponentType().getPackageName().startsWith("io.penstock.")
                && SHIPPED.contain(type.getName());
    }

    private static boolean mayUse(String from, String to) {
        return from.equals(to) || to.equals("pipeline-core") || from.equals(Modules.SAMPLES);
    }
}
