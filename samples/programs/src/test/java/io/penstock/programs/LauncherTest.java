package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.cli.CliProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher, {@code ./penstock}, in a folder of its own. A script in place of Maven makes the class path, another in
 * place of Java prints its arguments.
 */
class LauncherTest {

    private static final Path LAUNCHER =
            Path.of(System.getProperty("penstock.root")).resolve("penstock");
    private static final List<String> TOOLS = List.of(
            "bash",
            "sh",
            "env",
            "readlink",
            "dirname",
            "cat",
            "find",
            "grep",
            "mkdir",
            "touch",
            "mv",
            "rm",
            "flock",
            "setsid");

    /** What the launcher's class path is read from, as samples/pom.xml has it written. */
    private static final String BUILDS = """
            for word; do case $word in samples/*) module=$word ;; esac; done
            mkdir -p "$module/target/quick" repository
            touch samples/cli.jar repository/reactor.jar
            printf %s "$PWD/samples/cli.jar:$PWD/repository/reactor.jar" >"$module/target/quick/runtime.classpath"
            """;

    @TempDir
    private Path folder;

    private Path root = Path.of("");
    private Path tools = Path.of("");

    /** How the launcher ended, and what it wrote. */
    private record Ended(int status, List<String> out, List<String> err) {}

    @BeforeEach
    void makeCheckout() throws IOException {
        folder = folder.toRealPath();
        root = Files.createDirectory(folder.resolve("root"));
        tools = Files.createDirectory(folder.resolve("bin"));
        for (String tool : TOOLS) {
            Path found = Stream.of("/usr/bin", "/bin")
                    .map(place -> Path.of(place, tool))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElse(null);
            assumeTrue(found != null, "this test needs " + tool);
            script(tool, "exec %s \"$@\"".formatted(found));
        }
        Files.copy(LAUNCHER, root.resolve("penstock"));
        for (String file : List.of("jvm.args", "pom.xml", "pipeline-core/pom.xml", "pipeline-core/src/main/A.java")) {
            write(root.resolve(file), "");
        }
        for (String module : List.of("cli", "bench", "train")) {
            write(root.resolve("samples").resolve(module).resolve("pom.xml"), "");
            write(root.resolve("samples").resolve(module).resolve("src/main/A.java"), "");
        }
        script("java", "printf '%s\\n' \"$@\"");
        script("mvn", "echo \"$*\" >>../built\n" + BUILDS);
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setLastModifiedTime(file, FileTime.fromMillis(0)); // older than anything that a build makes
    }

    private void script(String name, String lines) throws IOException {
        Path file = Files.writeString(tools.resolve(name), "#!/bin/bash\n" + lines);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private ProcessBuilder launcher(String... words) {
        List<String> command = new ArrayList<>(List.of(root.resolve("penstock").toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", tools.toString());
        return builder;
    }

    private static Ended ended(Process process) throws Exception {
        try (BufferedReader out = process.inputReader();
                BufferedReader err = process.errorReader()) {
            List<String> printed = out.lines().toList();
            List<String> said = err.lines().toList();
            return new Ended(process.waitFor(), printed, said);
        }
    }

    private Ended run(String... words) throws Exception {
        return ended(launcher(words).start());
    }

    /** What Maven was called with, a line each time. */
    private List<String> builds() throws IOException {
        Path built = folder.resolve("built");
        return Files.exists(built) ? Files.readAllLines(built) : List.of();
    }

    private List<String> javaArguments(String module, String... words) {
        List<String> arguments = new ArrayList<>(List.of(
                "@" + root.resolve("jvm.args"),
                "-Xshare:auto",
                "-XX:Tier4InvocationThreshold=20000",
                "-XX:Tier4MinInvocationThreshold=2400",
                "-XX:Tier4CompileThreshold=60000",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:+DisplayVMOutputToStderr",
                "-cp",
                "%s:%s:%s"
                        .formatted(
                                root.resolve("samples/%s/target/quick/%s.jar".formatted(module, module)),
                                root.resolve("samples/cli.jar"),
                                root.resolve("repository/reactor.jar")),
                "io.penstock.cli.Main"));
        arguments.addAll(List.of(words));
        return arguments;
    }

    @Test
    void firstStart_inACheckout_buildsOnceAndSaysSo() throws Exception {
        Ended first = run("show", "text:a file");
        Ended second = run("show", "text:a file");

        assertThat(first.err)
                .hasSize(2)
                .anyMatch(line -> line.startsWith("building penstock: Maven compiles this folder"))
                .anyMatch(line -> line.contains("takes about a minute, besides up to 260 MB to fetch")
                        && line.endsWith("tail -f " + root.resolve("samples/target/penstock.log")));
        assertThat(first.out).isEqualTo(javaArguments("bench", "show", "text:a file"));
        assertThat(second).isEqualTo(new Ended(0, first.out, List.of()));
        assertThat(builds()).containsExactly("-B -Dquick -Dmaven.test.skip=true -pl samples/bench -am package");
    }

    @Test
    void start_afterAChange_buildsAgain() throws Exception {
        run("help");
        Path source = root.resolve("pipeline-core/src/main/A.java");
        Path built = root.resolve("samples/bench/target/quick/penstock.built");
        Files.setLastModifiedTime(
                source, FileTime.fromMillis(Files.getLastModifiedTime(built).toMillis() + 1_000));

        Ended changed = run("help");

        assertThat(changed.err)
                .containsExactly("building penstock: its sources have changed; this takes about half a minute");
        assertThat(changed.out).isEqualTo(javaArguments("bench", "help"));
        assertThat(builds()).hasSize(2);
    }

    @Test
    void start_whereTheFolderWasMovedOrAJarIsGone_buildsAgain() throws Exception {
        run("help");
        root = Files.move(root, folder.resolve("moved"));
        Ended moved = run("help");
        Files.delete(root.resolve("repository/reactor.jar"));
        Ended emptied = run("help");

        assertThat(moved.out).isEqualTo(javaArguments("bench", "help"));
        assertThat(emptied.out).isEqualTo(moved.out);
        assertThat(builds()).hasSize(3);
    }

    @Test
    void commandOfAModuleOfItsOwn_buildsThatModule() throws Exception {
        Ended train = run("train", "--data", "d");

        assertThat(train.err).anyMatch(line -> line.contains("up to 380 MB"));
        assertThat(train.out).isEqualTo(javaArguments("train", "train", "--data", "d"));
        assertThat(builds()).containsExactly("-B -Dquick -Ptrain -Dmaven.test.skip=true -pl samples/train -am package");
        assertThat(run("bench", "--quick", "train-sweep").out)
                .isEqualTo(javaArguments("train", "bench", "--quick", "train-sweep"));
    }

    @Test
    void start_onAJdkThatSaysItsVersion_sharesTheClassesOfOneRun() throws Exception {
        Path jdk = folder.resolve("jdk");
        write(jdk.resolve("release"), "JAVA_RUNTIME_VERSION=\"17.0.1+2\"\n");
        write(jdk.resolve("bin/none"), "");
        script("java", """
                printf '%s\\n' "$@"
                for word; do case $word in -XX:ArchiveClassesAtExit=*) echo classes >"${word#*=}"; echo made >>made ;; esac; done
                """);
        Files.move(tools.resolve("java"), jdk.resolve("bin/java"));
        ProcessBuilder launcher = launcher("help");
        launcher.environment().put("JAVA_HOME", jdk.toString());

        Ended first = ended(launcher.start());
        Ended second = ended(launcher.start());

        Path archive = root.resolve("samples/bench/target/quick/penstock-17.0.1+2.jsa");
        assertThat(archive).hasContent("classes");
        assertThat(first.out)
                .contains("-XX:SharedArchiveFile=" + archive)
                .endsWith("help")
                .doesNotContain("stream");
        assertThat(second).isEqualTo(new Ended(0, first.out, List.of()));
        assertThat(folder.resolve("made")).hasContent("made");
    }

    @Test
    void starts_atTheSameTime_buildOnce() throws Exception {
        List<Process> started = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            started.add(launcher("help").start());
        }

        for (Process process : started) {
            assertThat(ended(process).out).isEqualTo(javaArguments("bench", "help"));
        }
        assertThat(builds()).hasSize(1);
    }

    @Test
    void build_thatFails_endsWithMavensErrorsAndIsTriedAgain() throws Exception {
        script("mvn", "echo '[INFO] fetching'; echo '[ERROR] Could not transfer artifact'; exit 1");
        Ended failed = run("help");
        script("mvn", "echo 'no space left on device'; exit 1");
        Ended wordless = run("help");
        script("mvn", BUILDS);
        Ended mended = run("help");

        String last = "cannot build penstock: Maven's errors are above, all of its output is in "
                + root.resolve("samples/target/penstock.log");
        assertThat(failed.status).isEqualTo(1);
        assertThat(failed.out).isEmpty();
        assertThat(failed.err)
                .endsWith("[ERROR] Could not transfer artifact", last)
                .doesNotContain("[INFO] fetching");
        assertThat(wordless.err).endsWith("no space left on device", last);
        assertThat(mended.out).isEqualTo(javaArguments("bench", "help"));
    }

    @Test
    void build_thatIsInterrupted_endsQuietlyAndIsTriedAgain() throws Exception {
        script("mvn", "echo begun >&9\n exec cat /dev/zero >/dev/null"); // 9 is the lock, open for writing
        ProcessBuilder builder = CliProcess.interruptible(launcher("help"));
        builder.command().add(0, "setsid"); // a group of its own, as a terminal gives it
        Process process = builder.start();
        Path lock = root.resolve("samples/target/penstock.lock");
        while (process.isAlive() && (!Files.exists(lock) || Files.size(lock) == 0)) {
            LockSupport.parkNanos(1_000_000);
        }
        Process kill = new ProcessBuilder("kill", "-INT", "--", "-" + process.pid()).start();
        assertThat(kill.waitFor()).isZero();
        Ended interrupted = ended(process);
        script("mvn", BUILDS);
        Ended next = run("help");

        assertThat(interrupted.status).isEqualTo(128 + 2);
        assertThat(interrupted.out).isEmpty();
        assertThat(interrupted.err)
                .hasSize(2)
                .allMatch(line -> line.contains("building penstock") || line.startsWith("This happens once"));
        assertThat(next.out).isEqualTo(javaArguments("bench", "help"));
    }

    @Test
    void machine_withoutMaven_isToldWhatToInstall() throws Exception {
        Files.delete(tools.resolve("mvn"));

        assertThat(run("help"))
                .isEqualTo(new Ended(
                        1,
                        List.of(),
                        List.of("penstock is built by Maven 3.8 or newer, and there is no mvn"
                                + " on the path: install it, such as by apt install maven")));
    }

    @Test
    void machine_withoutJava_isToldWhatIsMissing() throws Exception {
        Files.delete(tools.resolve("java"));
        Ended none = run("help");
        ProcessBuilder builder = launcher("help");
        builder.environment().put("JAVA_HOME", "/nowhere");
        Ended wrong = ended(builder.start());

        assertThat(none.status).isEqualTo(1);
        assertThat(none.err)
                .endsWith("penstock needs a JDK of version 17 or newer: there is no java; set JAVA_HOME, or"
                        + " put java on the path");
        assertThat(wrong.status).isEqualTo(1);
        assertThat(wrong.err)
                .containsExactly("penstock needs a JDK of version 17 or newer: there is no"
                        + " /nowhere/bin/java; set JAVA_HOME, or put java on the path");
    }

    @Test
    void folder_thatCannotBeWrittenTo_isNamed() throws Exception {
        write(root.resolve("samples/target"), "a file where the folder should be");

        Ended refused = run("help");

        assertThat(refused)
                .isEqualTo(new Ended(
                        1,
                        List.of(),
                        List.of("penstock has to be built, and cannot write to "
                                + root.resolve("samples/target") + ": File exists; build it as the owner of " + root
                                + ", by ./penstock help")));
    }

    /** Such as the one whose repository holds the libraries. */
    @Test
    void checkout_thatAnotherUserBuilt_isNotSaidToHaveToBeBuilt() throws Exception {
        run("help");
        Files.delete(root.resolve("repository/reactor.jar"));
        Files.move(root.resolve("samples/target"), folder.resolve("written"));
        write(root.resolve("samples/target"), "a file where the folder should be");

        Ended refused = run("help");

        assertThat(refused.status).isEqualTo(1);
        assertThat(refused.err)
                .containsExactly(
                        "penstock is built, but by another user: its sources are newer, or its libraries are in"
                                + " that user's Maven repository, which this one cannot read; run it as the owner of "
                                + root
                                + ", or unpack the archive of docs/libraries.md, \"Without Maven\"");
    }

    @Test
    void link_toTheLauncher_findsItsFolder() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("p"), Path.of("bin", "q"));
        Files.createSymbolicLink(tools.resolve("q"), Path.of("..", "root", "penstock"));
        ProcessBuilder builder = launcher("help");
        builder.command().set(0, link.toString());

        assertThat(ended(builder.start()).out).isEqualTo(javaArguments("bench", "help"));
    }

    @Test
    void archive_unpacked_runsItsJarsWithTheOptionsOfTheEnvironment() throws Exception {
        Files.delete(root.resolve("pom.xml"));
        Files.delete(tools.resolve("mvn"));
        Files.createDirectory(root.resolve("lib"));
        ProcessBuilder builder = launcher("stream", "--json");
        builder.environment().put("PENSTOCK_OPTS", "-Xmx8g -Dx=y");

        Ended ended = ended(builder.start());
        Ended train = run("train");

        assertThat(ended.err).isEmpty();
        assertThat(ended.out)
                .endsWith(
                        "-Xmx8g",
                        "-Dx=y",
                        "-cp",
                        root.resolve("lib/*").toString(),
                        "io.penstock.cli.Main",
                        "stream",
                        "--json");
        assertThat(train)
                .isEqualTo(new Ended(
                        2,
                        List.of(),
                        List.of("penstock: this needs the module train, which is not in the"
                                + " archive: run ./penstock in a clone of the sources")));
    }

    @Test
    void status_ofTheProgram_isThatOfTheLauncher() throws Exception {
        script("java", "exit 130");

        Process process = launcher("help").start();

        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(130);
    }
}
