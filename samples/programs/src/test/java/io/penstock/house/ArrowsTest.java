package io.penstock.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** pipeline-core &lt;- operators, sources, sinks &lt;- samples, no arrow sideways, and floors inside the core. */
class ArrowsTest {

    private static final JavaClasses SHIPPED = Modules.shipped();

    /** The packages of pipeline-core, lowest first: each knows those before it alone. */
    private static final List<String> FLOORS = List.of(
            "io.penstock.tensor",
            "io.penstock.order.internal",
            "io.penstock.order",
            "io.penstock.fault",
            "io.penstock.internal",
            "io.penstock.cache",
            "io.penstock.internal.index",
            "io.penstock.output",
            "io.penstock.stream",
            "io.penstock.stream.internal",
            "io.penstock.pipeline",
            "io.penstock.resume");

    @Test
    void tensorsAndOrder_needTheJdkAlone() {
        classes()
                .that()
                .resideInAnyPackage("io.penstock.tensor..", "io.penstock.order..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "io.penstock.tensor..", "io.penstock.order..", "org.jspecify..")
                .check(SHIPPED);
        noClasses()
                .that()
                .resideInAPackage("io.penstock.order..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.penstock.tensor..")
                .check(SHIPPED);
    }

    @Test
    void floors_ofTheCore_knowOnlyThoseBelow() {
        List<String> upward = SHIPPED.stream()
                .filter(type -> Modules.of(type).equals("pipeline-core"))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> FLOORS.indexOf(packageOf(dependency.getTargetClass()))
                        > FLOORS.indexOf(packageOf(dependency.getOriginClass())))
                .map(Dependency::getDescription)
                .toList();

        assertThat(upward).isEmpty();
    }

    private static String packageOf(JavaClass type) {
        return type.getBaseComponentType().getPackageName();
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
                .containsExactlyInAnyOrderElementsOf(FLOORS);
    }

    @Test
    void packages_allOfThem_dependInNoCircle() {
        slices().assignedFrom(PACKAGES).should().beFreeOfCycles().check(SHIPPED);
    }

    /** Each package is a slice of its own, with what is internal to it. */
    private static final SliceAssignment PACKAGES = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName();
            return name.equals("io.penstock.internal")
                    ? SliceIdentifier.of(name)
                    : SliceIdentifier.of(name.replaceFirst("\\.internal(\\..*)?$", ""));
        }

        @Override
        public String getDescription() {
            return "packages, each with what is internal to it";
        }
    };

    private static boolean ours(JavaClass type) {
        return type.getBaseComponentType().getPackageName().startsWith("io.penstock.")
                && SHIPPED.contain(type.getName());
    }

    private static boolean mayUse(String from, String to) {
        Set<String> samples = Modules.SAMPLES.get(from);
        return from.equals(to)
                || to.equals("pipeline-core")
                || (samples != null && (Modules.LIBRARIES.contains(to) || samples.contains(to)));
    }
}
