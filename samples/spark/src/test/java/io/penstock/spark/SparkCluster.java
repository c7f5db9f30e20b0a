package io.penstock.spark;

import io.penstock.cli.CliProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A standalone cluster of this machine: a master and two workers as processes, each worker a host with one processor.
 *
 * <p>The hosts are addresses of the loopback interface, since Spark starts no second attempt at a task on the host that
 * runs the first one.
 */
record SparkCluster(Path home, int port, Process master, List<Process> workers) implements AutoCloseable {

    private static final String MASTER = "127.0.0.1";
    private static final List<String> HOSTS = List.of("127.0.0.2", "127.0.0.3");

    /**
     * Starts it, and waits until the master listens.
     * @param folder for what its processes leave
     */
    static SparkCluster start(Path folder) throws IOException {
        Path home = Files.createDirectories(folder.resolve("cluster"));
        Files.createDirectories(home.resolve("jars"));
        int port = freePort();
        Process master = process(
                home, "master", MASTER, List.of("deploy.master.Master", "--port", "" + port, "--webui-port", "0"));
        List<Process> workers = new ArrayList<>();
        SparkCluster cluster = new SparkCluster(home, port, master, workers);
        try {
            cluster.await(cluster::listens, "the master does not listen: ");
            for (String host : HOSTS) {
                workers.add(process(
                        home,
                        host,
                        host,
                        List.of(
                                "deploy.worker.Worker",
                                "--cores",
                                "1",
                                "--memory",
                                "1g",
                                "--webui-port",
                                "0",
                                "--work-dir",
                                home.resolve("work-" + host).toString(),
                                cluster.address())));
            }
        } catch (IOException | RuntimeException | AssertionError e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** @param words the class within Spark's package, and its arguments */
    private static Process process(Path home, String name, String host, List<String> words) throws IOException {
        Path local = Files.createDirectories(home.resolve("local-" + name));
        List<String> command = CliProcess.javaFlags();
        command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"));
        command.add("-Djava.io.tmpdir=" + local);
        command.add("-Dspark.local.dir=" + local);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add("org.apache.spark." + words.get(0));
        command.addAll(List.of("--host", host));
        command.addAll(words.subList(1, words.size()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(local.toFile())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve(name + ".log").toFile());
        environment(builder, home, host);
        return builder.start();
    }

    /** What Spark's launchers look for: the host, and a folder of jars, empty since the class path is given. */
    static void environment(ProcessBuilder builder, Path home, String host) {
        builder.environment().put("SPARK_HOME", home.toString());
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        builder.environment().put("SPARK_LOCAL_IP", host);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    }

    private boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The address as {@code spark.master}. */
    String address() {
        return "spark://%s:%d".formatted(MASTER, port);
    }

    /** The processes that run tasks now. */
    List<ProcessHandle> executors() {
        return workers.stream()
                .flatMap(Process::children)
                .filter(child -> child.info().command().orElse("").endsWith("java"))
                .toList();
    }

    /** Waits until no process runs tasks. */
    void awaitIdle() {
        await(() -> executors().isEmpty(), "executors have not ended: ");
    }

    private void await(BooleanSupplier condition, String otherwise) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!condition.getAsBoolean()) {
            if (!master.isAlive() || System.nanoTime() - until > 0) {
                throw new AssertionError(otherwise + words());
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** What its processes have said. */
    String words() {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> logs = Files.walk(home)) {
            for (Path log : logs.filter(file -> file.toString().endsWith(".log")
                            || file.getFileName().toString().equals("stderr"))
                    .toList()) {
                all.append(log.getFileName()).append(":\n").append(Files.readString(log));
            }
        } catch (IOException e) {
            all.append(e);
        }
        return all.toString();
    }

    @Override
    public void close() {
        List<ProcessHandle> all = Stream.concat(workers.stream().map(Process::toHandle), Stream.of(master.toHandle()))
                .toList();
        List<ProcessHandle> below =
                all.stream().flatMap(ProcessHandle::descendants).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        below.forEach(ProcessHandle::destroyForcibly);
        Stream.concat(all.stream(), below.stream())
                .forEach(process -> process.onExit().join());
    }
}
