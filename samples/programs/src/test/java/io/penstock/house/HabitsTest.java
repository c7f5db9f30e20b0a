package io.penstock.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import io.penstock.cache.Tier;
import io.penstock.internal.GuardedScheduler;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Names, state and threads. Where a rule makes the code worse, name the class here and say why. */
class HabitsTest {

    private static final JavaClasses SHIPPED = Modules.shipped();

    /** Where a program begins: here it may read properties and wait for a stream's end. */
    private static final String[] PROGRAMS = {
        "io.penstock.cli..", "io.penstock.bench..", "io.penstock.train..", "io.penstock.spark..", "io.penstock.peers.."
    };

    private static final Set<String> READS_PROPERTIES = Set.of(
            "java.lang.System.getProperty",
            "java.lang.System.setProperty",
            "java.lang.System.clearProperty",
            "java.lang.System.getProperties",
            "java.lang.System.setProperties",
            "java.lang.Integer.getInteger",
            "java.lang.Long.getLong",
            "java.lang.Boolean.getBoolean");

    private static final Set<String> WAITS =
            Set.of("block", "blockOptional", "blockFirst", "blockLast", "toIterable", "toStream");

    @Test
    void packages_allOfThem_areNamedForWhatTheyHold() {
        noClasses()
                .should()
                .resideInAnyPackage(
                        "..util..", "..utils..", "..common..", "..helper..", "..helpers..", "..impl..", "..manager..")
                .because("a function lives with the type it serves")
                .check(SHIPPED);
    }

    @Test
    void state_static_isFinal() {
        fields().that().areStatic().should().beFinal().allowEmptyShould(true).check(SHIPPED);
    }

    @Test
    void collections_exceptByTheirOneOwner_areNotAskedFor() {
        noClasses()
                .that()
                .resideOutsideOfPackages(PROGRAMS)
                .and()
                .doNotHaveFullyQualifiedName("io.penstock.internal.Reclaim")
                .should()
                .callMethod(System.class, "gc")
                .because("how often the collector is asked is one policy")
                .check(SHIPPED);
    }

    @Test
    void properties_outsidePrograms_areNotRead() {
        noClasses()
                .that()
                .resideOutsideOfPackages(PROGRAMS)
                .and()
                .doNotHaveFullyQualifiedName("io.penstock.cache.ram.SlabMemory") // where the JDK keeps temporary files
                .and()
                .doNotHaveFullyQualifiedName("io.penstock.image.OpenCvBackend") // JavaCPP takes no other settings
                .and()
                .doNotHaveFullyQualifiedName(
                        "io.penstock.cache.chronicle.internal.ChronicleSettings") // nor does Chronicle
                .should()
                .accessTargetWhere(target(
                        "reads or sets system properties",
                        access -> READS_PROPERTIES.contains(
                                access.getTargetOwner().getName() + "." + access.getName())))
                .because("a setting is an argument")
                .check(SHIPPED);
    }

    @Test
    void streams_outsidePrograms_areNotWaitedFor() {
        noClasses()
                .that()
                .resideOutsideOfPackages(PROGRAMS)
                .and()
                .doNotHaveSimpleName("NdDataset") // DJL's trainer takes its batches from an Iterable
                .should()
                .accessTargetWhere(target(
                        "waits for a Mono or a Flux",
                        access -> WAITS.contains(access.getName())
                                && (access.getTargetOwner().isAssignableTo(Mono.class)
                                        || access.getTargetOwner().isAssignableTo(Flux.class))))
                .because("a thread that waits may be the one that is waited for")
                .check(SHIPPED);
    }

    @Test
    void threads_allOfThem_doNotSleep() {
        noClasses()
                .should()
                .accessTargetWhere(target(
                        "sleeps",
                        access -> access.getName().equals("sleep")
                                && (access.getTargetOwner().isAssignableTo(Thread.class)
                                        || access.getTargetOwner().isEquivalentTo(TimeUnit.class))))
                .check(SHIPPED);
    }

    @Test
    void tasks_allOfThem_areGuarded() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.penstock.bench..")
                .and()
                .areNotAssignableTo(GuardedScheduler.class)
                .should()
                .accessTargetWhere(target(
                        "takes or makes threads of Reactor's",
                        access -> access.getTargetOwner().isEquivalentTo(Schedulers.class)
                                && access.getName().matches("boundedElastic|parallel|single|new.*|from.*")))
                .because("a task of GuardedScheduler ends its stream where it throws what Reactor rethrows")
                .check(SHIPPED);
    }

    @Test
    void outcomes_toldByThreads_failWhatThrowsOnThem() {
        noClasses()
                .should()
                .accessTargetWhere(target(
                        "calls Mono.create",
                        access -> access.getTargetOwner().isEquivalentTo(Mono.class)
                                && access.getName().equals("create")))
                .because("a subscriber of Told.mono that throws what Reactor rethrows is told of it")
                .check(SHIPPED);
    }

    @Test
    void threads_allOfThem_ownNoVariables() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocal.class)
                .check(SHIPPED);
    }

    @Test
    void methods_allOfThem_takeNoLockOnTheirObject() {
        methods()
                .should()
                .notHaveModifier(JavaModifier.SYNCHRONIZED)
                .because("no code outside can then hold the lock, and what it guards is named")
                .check(SHIPPED);
    }

    @Test
    void tiers_allOfThem_holdNoOtherTier() {
        fields().that()
                .areDeclaredInClassesThat(JavaClass.Predicates.assignableTo(Tier.class))
                .should(ArchCondition.from(DescribedPredicate.describe(
                        "not have a type with a tier in it",
                        field -> field.getType().getAllInvolvedRawTypes().stream()
                                .noneMatch(type -> type.isAssignableTo(Tier.class)))))
                .because("the cache alone has the chain of tiers; an observer of the cache sees what tiers do")
                .check(SHIPPED);
    }

    private static DescribedPredicate<JavaAccess<?>> target(String description, Predicate<JavaAccess<?>> predicate) {
        return DescribedPredicate.describe(description, predicate);
    }
}
