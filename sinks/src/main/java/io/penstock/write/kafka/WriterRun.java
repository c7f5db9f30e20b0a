package io.penstock.write.kafka;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.stream.Sample;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/** One subscription of a writer: the partitions that it writes to, each with a producer of its own. */
final class WriterRun<T> {

    private final IntFunction<WriterTarget> targets;
    private final Function<Draw, Integer> partition;
    private final Function<Draw, Position> position;
    private final Function<? super T, byte[]> bytes;
    private final Map<Integer, Lane> lanes = new TreeMap<>();
    private final ReentrantLock lock = new ReentrantLock(); // a cancel waits until the write was interrupted
    private boolean closed;

    /** A partition, with the position behind the last sample that was written to it. */
    private static final class Lane {
        final WriterTarget target;
        final Producer<byte[], byte[]> producer;
        Position written;
        boolean open;

        Lane(WriterTarget target) {
            this.target = target;
            target.committed(); // refuses a partition before it is taken from its writer
            this.producer = target.producer();
            this.written = target.committed();
        }
    }

    WriterRun(
            IntFunction<WriterTarget> targets,
            Function<Draw, Integer> partition,
            Function<Draw, Position> position,
            Function<? super T, byte[]> bytes) {
        this.targets = targets;
        this.partition = partition;
        this.position = position;
        this.bytes = bytes;
    }

    /** Writes samples, in a transaction a partition. Blocks until all are committed. */
    List<Draw> write(List<Sample<T>> samples) {
        Map<Integer, List<Sample<T>>> parts = new LinkedHashMap<>();
        List<Draw> draws = new ArrayList<>(samples.size());
        for (Sample<T> sample : samples) {
            draws.add(sample.draw());
            if (sample.isPresent()) {
                parts.computeIfAbsent(partition.apply(sample.draw()), any -> new ArrayList<>())
                        .add(sample);
            }
        }
        lock.lock();
        try {
            parts.forEach(this::write);
        } finally {
            lock.unlock();
        }
        return draws;
    }

    private void write(int number, List<Sample<T>> samples) {
        if (closed) {
            return;
        }
        WriterTarget target = targets.apply(number);
        try {
            Lane lane = lanes.computeIfAbsent(number, any -> new Lane(target));
            for (Sample<T> sample : samples) {
                Position behind = position.apply(sample.draw());
                if (behind.compareTo(lane.written) > 0) { // else it was written before
                    send(lane, bytes.apply(sample.value()), behind);
                }
            }
            if (lane.open) {
                lane.producer.commitTransaction();
                lane.open = false;
            }
        } catch (InterruptException e) { // cancelled
            Thread.interrupted();
            closed = true;
        } catch (KafkaException e) {
            throw target.failed(e);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the commit fails if a record did
    private static void send(Lane lane, byte[] value, Position behind) {
        if (!lane.open) {
            lane.producer.beginTransaction();
            lane.open = true;
        }
        lane.producer.send(lane.target.record(value, behind));
        lane.written = behind;
    }

    /** Waits until readers see what was written: a transaction is committed before its mark is in the partition. */
    void finish() {
        lock.lock();
        try {
            lanes.values().forEach(lane -> lane.target.await(lane.written));
        } finally {
            lock.unlock();
            close();
        }
    }

    /** Aborts what is open. */
    void close() {
        lock.lock();
        try {
            closed = true;
            lanes.values().forEach(WriterRun::close);
        } finally {
            lock.unlock();
        }
    }

    private static void close(Lane lane) {
        try {
            if (lane.open) {
                lane.producer.abortTransaction();
            }
        } catch (KafkaException | IllegalStateException e) {
            // the next writer of the partition ends it, or the broker
        } finally {
            lane.producer.close(Duration.ZERO);
        }
    }
}
