package io.penstock.kafka;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A broker of Kafka in a process of its own, on free ports of this machine. It can be killed and started again. */
public final class Broker implements AutoCloseable {

    private static final AtomicInteger TOPICS = new AtomicInteger();
    private static @Nullable Broker shared;

    private final Path folder;
    private final int port;
    private final Path properties;
    private Process process;

    private Broker(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        this.port = freePort();
        this.properties = folder.resolve("server.properties");
        int controller = freePort();
        Files.writeString(properties, """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@127.0.0.1:%2$d
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
                controller.listener.names=CONTROLLER
                log.dirs=%3$s
                offsets.topic.replication.factor=1
                offsets.topic.num.partitions=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                transaction.state.log.num.partitions=1
                group.initial.rebalance.delay.ms=0
                log.initial.task.delay.ms=100
                log.cleaner.backoff.ms=100
                log.retention.check.interval.ms=100
                """.formatted(port, controller, folder.resolve("log")));
        start();
    }

    /** One for all tests of this process, which ends it. */
    public static synchronized Broker shared() throws IOException, InterruptedException {
        if (shared == null) {
            Broker started = start(Files.createTempDirectory("penstock-kafka"));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                started.close();
                delete(started.folder);
            }));
            shared = started;
        }
        return shared;
    }

    /** The broker's process: formats the folder unless it is, then serves. */
    public static void main(String... properties) {
        String[] format = {"format", "--ignore-formatted", "-t", "MkU3OEVBNTcwNTJENDM2Qg", "-c", properties[0]};
        int failed = StorageTool.execute(format, System.out);
        if (failed != 0) {
            throw new IllegalStateException("format ended with " + failed);
        }
        Kafka.main(properties);
    }

    private static void delete(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Broker start(Path folder) throws IOException, InterruptedException {
        return new Broker(folder);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return socket.getLocalPort();
        }
    }

    public Process java(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                program));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("output").toFile()))
                .start();
    }

    /** Starts it once more, and waits until it answers. */
    public void start() throws IOException, InterruptedException {
        process = java(Broker.class.getName(), properties.toString());
        while (!answers()) {
            if (!process.isAlive()) {
                throw new IOException(Files.readString(folder.resolve("output")));
            }
            Thread.sleep(50);
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** The settings of a client, and some more: name, value, name, value. */
    public Map<String, Object> settings(Object... more) {
        Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:" + port));
        for (int i = 0; i < more.length; i += 2) {
            settings.put((String) more[i], more[i + 1]);
        }
        return settings;
    }

    public Producer<byte[], byte[]> producer(Object... more) {
        return new KafkaProducer<>(settings(more), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** The offsets of a group, by partition. */
    public Map<Integer, Long> committed(String group) throws Exception {
        Map<Integer, Long> committed = new HashMap<>();
        try (Admin admin = Admin.create(settings())) {
            admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get(60, TimeUnit.SECONDS)
                    .forEach((partition, at) -> committed.put(partition.partition(), at.offset()));
        }
        return committed;
    }

    /** Sends a record, once a whole block of them is there or the producer is closed. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is told of a failure
    public static void send(Producer<byte[], byte[]> producer, String topic, int partition, byte[] value) {
        producer.send(new ProducerRecord<>(topic, partition, value, value), (sent, failed) -> {
            if (failed != null) {
                throw new IllegalStateException(failed);
            }
        });
    }

    /**
     * Makes a topic, and waits until it takes records: a producer that comes earlier may wait for two minutes.
     * @return its name, which a test that is repeated does not meet again
     */
    public String create(String name, int partitions, Map<String, String> configuration) throws Exception {
        String topic = name + "-" + TOPICS.incrementAndGet();
        make(topic, partitions, configuration);
        return topic;
    }

    /** As {@link #create}, with this name. */
    public void make(String topic, int partitions, Map<String, String> configuration) throws Exception {
        try (Admin admin = Admin.create(settings())) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(configuration)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
            Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
            for (int partition = 0; partition < partitions; partition++) {
                ends.put(new TopicPartition(topic, partition), OffsetSpec.latest());
            }
            while (!answers(admin, ends)) {
                Thread.sleep(20);
            }
        }
    }

    /** Deletes a topic, and waits until it is gone. */
    public void delete(String topic) throws Exception {
        try (Admin admin = Admin.create(settings())) {
            admin.deleteTopics(List.of(topic)).all().get(60, TimeUnit.SECONDS);
            while (admin.listTopics().names().get(60, TimeUnit.SECONDS).contains(topic)) {
                Thread.sleep(20);
            }
        }
    }

    /**
     * The values that readers of committed records see in a partition. Waits until each transaction there has ended: one
     * is committed before its mark is written.
     */
    public List<byte[]> read(String topic, int partition) {
        TopicPartition at = new TopicPartition(topic, partition);
        long end = end(topic, partition, "read_uncommitted");
        List<byte[]> read = new ArrayList<>();
        try (Consumer<byte[], byte[]> consumer =
                consumer("isolation.level", "read_committed", "fetch.max.wait.ms", 1)) {
            consumer.assign(List.of(at));
            consumer.seekToBeginning(List.of(at));
            while (consumer.position(at) < end) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> read.add(record.value()));
            }
        }
        return read;
    }

    /** The offset at which a partition ends for consumers of an isolation level. */
    public long end(String topic, int partition, String isolation) {
        TopicPartition at = new TopicPartition(topic, partition);
        try (Consumer<byte[], byte[]> consumer = consumer("isolation.level", isolation)) {
            return consumer.endOffsets(List.of(at)).get(at);
        }
    }

    private Consumer<byte[], byte[]> consumer(Object... more) {
        return new KafkaConsumer<>(settings(more), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static boolean answers(Admin admin, Map<TopicPartition, OffsetSpec> ends) throws Exception {
        try {
            admin.listOffsets(ends).all().get(60, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RetriableException) { // the broker has not heard of the topic yet
                return false;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
