package io.penstock.write.kafka;

import io.penstock.internal.Arguments;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.OptionalLibrary;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import io.penstock.tensor.Codec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongToIntFunction;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Writes samples to a topic, each once, however often the job is stopped, killed and started again:
 * <pre>{@code
 *  KafkaWriter<Photo> writer = KafkaWriter.of("decoded", settings, schema);
 *  Position from = writer.position(rank).block();
 *
 *  photos.stream(Sampler.shuffled(42).shard(Shard.of(rank, 4)).resumeAt(from)) // the same sampler at each start
 *      .transform(writer.into(rank))
 *      .blockLast();
 * }</pre>
 *
 * <p>Samples are written in transactions. Each record says in a header behind which position it stands, so the last one
 * that was committed tells where the job is. What lies before that is left out. Readers set {@code isolation.level} to
 * {@code read_committed}. Samples without a value are left out.
 *
 * <p><b>One writer a partition.</b> A second one of the same job takes a partition over: the first fails with a
 * {@code StoreException}. A partition in which another job has written is refused. The topic has to keep its last
 * records until the job has ended; if retention deletes them, the job begins again.
 *
 * <p><b>Settings</b> are those of Kafka's producer. {@code transactional.id} is the job's name: the same at each start,
 * and another for other data, another sampler or another number of ranks.
 *
 * <p><b>Memory</b>: the samples of a transaction, and the producer's buffer a partition. <b>Threads</b>: one of its
 * own writes. <b>Emits when</b> a transaction was committed: its draws. <b>Backpressures when</b> a transaction is
 * written, or nothing is asked for. <b>Completes when</b> upstream does and readers see all. <b>Cancels when</b> the
 * subscriber does: the open transaction is aborted. <b>Errors</b>: {@code StoreException} where it cannot be written;
 * the open transaction is aborted.
 */
public final class KafkaWriter<T> {

    private static final int SAMPLES = 512;
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private final String topic;
    private final Map<String, Object> settings;
    private final Function<? super T, byte[]> bytes;
    private final int samples;

    private KafkaWriter(String topic, Map<String, Object> settings, Function<? super T, byte[]> bytes, int samples) {
        this.topic = topic;
        this.settings = settings;
        this.bytes = bytes;
        this.samples = samples;
    }

    /** A writer of values in a form that {@link Codec#decode} reads. */
    public static <T> KafkaWriter<T> of(String topic, Map<String, ?> settings, Codec<T> codec) {
        return of(topic, settings, value -> {
            ByteBuffer encoded = codec.encode(value).joined();
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        });
    }

    /**
     * A writer to a topic.
     * @param settings of Kafka's producer, with {@code bootstrap.servers} and {@code transactional.id}
     * @param bytes the value of a sample's record
     * @throws IllegalArgumentException if one of these settings is missing
     */
    public static <T> KafkaWriter<T> of(String topic, Map<String, ?> settings, Function<? super T, byte[]> bytes) {
        OptionalLibrary.KAFKA.require(KafkaWriter.class);
        require(settings, ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "the brokers, such as 127.0.0.1:9092");
        require(settings, ProducerConfig.TRANSACTIONAL_ID_CONFIG, "the job's name, the same at each start");
        return new KafkaWriter<>(topic, new HashMap<>(settings), bytes, SAMPLES);
    }

    private static void require(Map<String, ?> given, String setting, String what) {
        Arguments.refuse(given.get(setting) == null, "the setting %s is missing: %s", setting, what);
    }

    /**
     * Other transactions: of at most this many samples, {@value #SAMPLES} unless set, or of those of a second.
     * @throws IllegalArgumentException if {@code count < 1}
     */
    public KafkaWriter<T> samplesEach(int count) {
        Arguments.refuse(count < 1, "a transaction has at least 1 sample, was %d", count);
        return new KafkaWriter<>(topic, settings, bytes, count);
    }

    /** Where the job is in a partition, for {@link Sampler#resumeAt}; {@link Position#START} before its first sample. */
    public Mono<Position> position(int partition) {
        return Mono.fromCallable(Thrown.callable(() -> target(partition).committed()))
                .subscribeOn(GuardedScheduler.ELASTIC);
    }

    /** Writes samples in the order of their positions, such as those of a rank, to one partition. */
    public Function<Flux<Sample<T>>, Flux<List<Draw>>> into(int partition) {
        return write(draw -> partition, KafkaWriter::inOrder);
    }

    private static Position inOrder(Draw draw) {
        if (draw.next().ahead().signum() != 0) {
            throw new IllegalArgumentException("samples must come in their order to be written once, at " + draw);
        }
        return draw.next();
    }

    /**
     * Writes samples that have numbers of their own, such as records of a topic, which come in several sequences at a
     * time and may come again:
     * <pre>{@code
     *  tail.records()
     *      .transform(Samples.numbered(42, KafkaTail::number))
     *      .transform(Samples.map("parse", Frame::parse))
     *      .transform(writer.byNumber(KafkaTail::partition))
     *      .doOnNext(draws -> {
     *          draws.forEach(draw -> written.and(KafkaOffsets.behind(draw.index())));
     *          tail.commit(written);
     *      })
     * }</pre>
     * When a rebalance gives a partition to another writer, the first fails; start it again with a new tail.
     * @param partition of the sequence to which a number belongs; the numbers in each ascend
     */
    public Function<Flux<Sample<T>>, Flux<List<Draw>>> byNumber(LongToIntFunction partition) {
        return write(draw -> partition.applyAsInt(draw.index()), draw -> new Position(0, draw.index() + 1));
    }

    private Function<Flux<Sample<T>>, Flux<List<Draw>>> write(
            Function<Draw, Integer> partition, Function<Draw, Position> position) {
        return flux -> Flux.usingWhen(
                Mono.fromSupplier(() -> new Run(partition, position)),
                run -> flux.bufferTimeout(samples, LONGEST, true)
                        .concatMap(
                                some -> Mono.fromCallable(Thrown.callable(() -> run.write(some)))
                                        .subscribeOn(run.thread),
                                0),
                run -> Mono.fromRunnable(Thrown.runnable(run::finish)).subscribeOn(run.thread),
                (run, error) -> Mono.fromRunnable(Thrown.runnable(run::close)).subscribeOn(run.thread),
                run -> Mono.fromRunnable(Thrown.runnable(run::close)).subscribeOn(run.thread));
    }

    private WriterTarget target(int partition) {
        return new WriterTarget(topic, partition, settings);
    }

    /** One subscription: the partitions that it writes to, each with a producer of its own. All on one thread. */
    private final class Run {

        private final Function<Draw, Integer> partition;
        private final Function<Draw, Position> position;
        private final Map<Integer, Lane> lanes = new TreeMap<>();
        private final Scheduler thread = GuardedScheduler.ofThread("penstock-kafka-write");
        private boolean cancelled;

        Run(Function<Draw, Integer> partition, Function<Draw, Position> position) {
            this.partition = partition;
            this.position = position;
        }

        /** Writes samples, in a transaction a partition. Blocks until all are committed. */
        List<Draw> write(List<Sample<T>> some) {
            some.stream()
                    .filter(Sample::isPresent)
                    .collect(Collectors.groupingBy(sample -> partition.apply(sample.draw())))
                    .forEach(this::write);
            return some.stream().map(Sample::draw).toList();
        }

        private void write(int number, List<Sample<T>> some) {
            if (cancelled) {
                return;
            }
            WriterTarget target = target(number);
            try {
                Lane lane = lanes.computeIfAbsent(number, any -> new Lane(target));
                for (Sample<T> sample : some) {
                    Position behind = position.apply(sample.draw());
                    if (behind.compareTo(lane.written) > 0) { // else it was written before
                        lane.send(bytes.apply(sample.value()), behind);
                    }
                }
                if (lane.open) {
                    lane.producer.commitTransaction();
                    lane.open = false;
                }
            } catch (InterruptException e) {
                Thread.interrupted();
                cancelled = true;
            } catch (KafkaException e) {
                throw target.failed(e);
            }
        }

        /** Waits until readers see what was written: a transaction is committed before its mark is in the partition. */
        void finish() {
            try {
                lanes.values().forEach(lane -> lane.target.await(lane.written));
            } finally {
                close();
            }
        }

        /** Aborts what is open. */
        void close() {
            lanes.values().forEach(Lane::close);
            thread.disposeGracefully().subscribe();
        }
    }

    /** A partition, with the position behind the last sample that was written to it. */
    private static final class Lane {

        private final WriterTarget target;
        private final Producer<byte[], byte[]> producer;
        private Position written;
        private boolean open;

        Lane(WriterTarget target) {
            this.target = target;
            target.committed(); // refuses a partition before it is taken from its writer
            this.producer = target.producer();
            this.written = target.committed();
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the commit fails if a record did
        void send(byte[] value, Position behind) {
            if (!open) {
                producer.beginTransaction();
                open = true;
            }
            producer.send(target.record(value, behind));
            written = behind;
        }

        void close() {
            try {
                if (open) {
                    producer.abortTransaction();
                }
            } catch (KafkaException | IllegalStateException e) {
                // the next writer of the partition ends it, or the broker
            } finally {
                producer.close(Duration.ZERO);
            }
        }
    }

    @Override
    public String toString() {
        return "writer to kafka topic " + topic;
    }
}
