package io.penstock.peers;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.DoubleStream;
import org.tensorflow.ConcreteFunction;
import org.tensorflow.Graph;
import org.tensorflow.Operand;
import org.tensorflow.Output;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.Signature;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.Placeholder;
import org.tensorflow.op.data.Iterator;
import org.tensorflow.op.data.MakeIterator;
import org.tensorflow.types.TString;
import org.tensorflow.types.TUint8;
import org.tensorflow.types.family.TType;

/**
 * The engine of tf.data: fixed-length records, decoded by a call for each processor at once, {@code cache()} in memory,
 * a shuffle over all samples, batches, and two batches ahead. One iterator runs all epochs by {@code repeat}.
 */
final class TensorFlowPeer implements AutoCloseable {

    private static final long AHEAD = 2;
    private static final long READ_BUFFER = 1 << 20;

    private final Work work;
    private final Graph graph = new Graph();
    private final Session session;
    private final Output<?> next;

    private TensorFlowPeer(Work work, Path data) {
        this.work = work;
        Ops tf = Ops.create(graph);
        List<Class<? extends TType>> bytes = List.of(TUint8.class);
        List<Shape> batches = List.of(Shape.of(-1, work.sampleBytes()));
        Iterator iterator = tf.data.iterator("epochs", "", bytes, batches);
        MakeIterator made = tf.data.makeIterator(batches(tf, data), iterator.handle());
        this.next = tf.data
                .iteratorGetNext(iterator.handle(), bytes, batches)
                .components()
                .get(0);
        this.session = new Session(graph);
        session.runner().addTarget(made).run().close();
    }

    private Operand<? extends TType> batches(Ops tf, Path data) {
        List<Class<? extends TType>> bytes = List.of(TUint8.class);
        List<Shape> sample = List.of(Shape.of(work.sampleBytes()));
        List<Shape> batch = List.of(Shape.of(-1, work.sampleBytes()));
        Operand<? extends TType> read = tf.data
                .fixedLengthRecordDataset(
                        tf.constantOf(TString.vectorOf(data.toString())),
                        tf.constant(0L),
                        tf.constant((long) work.sampleBytes()),
                        tf.constant(0L),
                        tf.constant(READ_BUFFER),
                        tf.constant(""))
                .handle();
        long processors = Runtime.getRuntime().availableProcessors();
        Operand<? extends TType> decoded = tf.data
                .parallelMapDataset(read, List.of(), tf.constant(processors), decode(), bytes, sample)
                .handle();
        Operand<? extends TType> cached = tf.data
                .cacheDataset(
                        decoded, tf.constant(""), tf.data.anonymousMemoryCache().handle(), bytes, sample)
                .handle();
        Operand<? extends TType> shuffled = tf.data
                .shuffleDataset(
                        cached,
                        tf.constant((long) work.samples()),
                        tf.constant(1L),
                        tf.constant(2L),
                        tf.random.dummySeedGenerator().handle(),
                        bytes,
                        sample)
                .handle();
        Operand<? extends TType> batched = tf.data
                .batchDataset(shuffled, tf.constant((long) work.epoch().batch()), tf.constant(false), bytes, batch)
                .handle();
        Operand<? extends TType> repeated =
                tf.data.repeatDataset(batched, tf.constant(-1L), bytes, batch).handle();
        return tf.data
                .prefetchDataset(repeated, tf.constant(AHEAD), bytes, batch)
                .handle();
    }

    private ConcreteFunction decode() {
        return ConcreteFunction.create(tf -> {
            Placeholder<TString> record = tf.placeholder(TString.class, Placeholder.shape(Shape.scalar()));
            Operand<TUint8> bytes =
                    tf.reshape(tf.io.decodeRaw(record, TUint8.class), tf.constant(new int[] {work.sampleBytes()}));
            return Signature.builder()
                    .key("decode")
                    .input("record", record)
                    .output("bytes", bytes)
                    .build();
        });
    }

    private double epoch() {
        long began = System.nanoTime();
        long taken = 0;
        while (taken < work.samples()) {
            try (Result batch = session.runner().fetch(next).run()) {
                taken += batch.get(0).shape().get(0);
            }
        }
        return (System.nanoTime() - began) / 1e9;
    }

    /** Seconds of each epoch; the first reads the file. */
    static double[] seconds(Work work, Path data, int epochs) {
        try (TensorFlowPeer peer = new TensorFlowPeer(work, data)) {
            return DoubleStream.generate(peer::epoch).limit(epochs).toArray();
        }
    }

    @Override
    public void close() {
        session.close();
        graph.close();
    }
}
