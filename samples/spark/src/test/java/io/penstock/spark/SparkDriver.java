package io.penstock.spark;

import io.penstock.cli.Cli;
import io.penstock.cli.CliProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A job's driver in a process of its own. */
record SparkDriver(Process process, Path out, Path err) implements AutoCloseable {

    /** For processes that end soon. */
    private static final String SOON = "-XX:TieredStopAtLevel=1";

    /**
     * Starts it.
     * @param folder    for what it leaves
     * @param settings  of Spark, as {@code spark.name=value}
     * @param arguments of the job, with blanks between them
     */
    static SparkDriver start(Path folder, List<String> settings, String arguments) throws IOException {
        Path home = Files.createDirectories(folder.resolve("spark"));
        Files.createDirectories(home.resolve("jars"));
        String classes = System.getProperty("java.class.path");
        List<String> command = CliProcess.javaFlags();
        command.add(SOON);
        command.add("-Djava.io.tmpdir=" + home);
        command.add("-Dspark.local.dir=" + home);
        command.add("-Dspark.ui.enabled=false");
        command.add("-Dspark.driver.host=127.0.0.1");
        command.add("-Dspark.driver.bindAddress=127.0.0.1");
        command.add("-Dspark.executor.extraClassPath=" + classes);
        command.add("-Dspark.executor.extraJavaOptions=" + SOON);
        command.add("-Dspark.executor.memory=512m");
        settings.forEach(setting -> command.add("-D" + setting));
        command.addAll(List.of("-cp", classes, SparkMaterialize.class.getName(), "spark-materialize", "--json"));
        command.addAll(Arrays.asList(arguments.split(" ")));
        Path out = home.resolve("out");
        Path err = home.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        SparkCluster.environment(builder, home, "127.0.0.1");
        return new SparkDriver(builder.start(), out, err);
    }

    /** Waits for its end; what it said as a command. */
    Cli end() throws IOException, InterruptedException {
        boolean ended = process.waitFor(300, TimeUnit.SECONDS);
        String err = Files.readString(this.err);
        if (!ended) {
            throw new AssertionError("the job has not ended: " + err);
        }
        return new Cli(process.exitValue(), Files.readString(out), err);
    }

    @Override
    public void close() {
        List<ProcessHandle> all = process.descendants().toList();
        process.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
    }
}
