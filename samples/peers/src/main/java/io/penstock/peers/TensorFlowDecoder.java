package io.penstock.peers;

import io.penstock.bench.Bench;
import io.penstock.bench.Rounds;
import io.penstock.bench.suite.DecodeSpeed;
import java.util.List;
import org.tensorflow.Graph;
import org.tensorflow.Operand;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.ndarray.NdArrays;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.Placeholder;
import org.tensorflow.op.image.DecodeJpeg;
import org.tensorflow.op.image.ScaleAndTranslate;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt32;
import org.tensorflow.types.TString;
import org.tensorflow.types.TUint8;

/** TensorFlow's {@code decode_jpeg} and {@code resize} to a square, rounded to bytes, on one thread. */
final class TensorFlowDecoder implements AutoCloseable {

    private final Graph graph = new Graph();
    private final Session session;
    private final Placeholder<TString> file;
    private final Operand<TUint8> picture;

    /** Files a second: ours against TensorFlow's kernels, antialiased as ours, and not. */
    static void run(Bench bench) {
        List<byte[]> files = DecodeSpeed.files(bench);
        try (TensorFlowDecoder antialiased = new TensorFlowDecoder(DecodeSpeed.SIDE, true);
                TensorFlowDecoder plain = new TensorFlowDecoder(DecodeSpeed.SIDE, false)) {
            Rounds rounds = DecodeSpeed.against(
                    bench,
                    "tensorflow",
                    files,
                    List.of(
                            () -> DecodeSpeed.perSecond(files, antialiased::decode),
                            () -> DecodeSpeed.perSecond(files, plain::decode)));
            bench.found("TensorFlow, antialiased", rounds.median(1), "images/s");
            bench.found("TensorFlow, not antialiased", rounds.median(2), "images/s");
            bench.atLeast(100, "ours of TensorFlow's antialiased", 100 * rounds.medianRatio(0, 1), "%");
            bench.found("ours of TensorFlow's not antialiased", 100 * rounds.medianRatio(0, 2), "%");
        }
    }

    /** @param antialias as {@code tf.image.resize} has it: {@code false} is its default, and aliases */
    private TensorFlowDecoder(int side, boolean antialias) {
        Ops tf = Ops.create(graph);
        this.file = tf.placeholder(TString.class);
        Operand<TUint8> decoded = tf.image.decodeJpeg(file, DecodeJpeg.channels(3L));
        Operand<TInt32> size = tf.constant(new int[] {side, side});
        Operand<TUint8> batch = tf.expandDims(decoded, tf.constant(0));
        Operand<TFloat32> resized = antialias ? antialiased(tf, batch, size) : tf.image.resizeBilinear(batch, size);
        this.picture = tf.dtypes.cast(tf.math.round(resized), TUint8.class);
        this.session = new Session(
                graph,
                ConfigProto.newBuilder()
                        .setIntraOpParallelismThreads(1)
                        .setInterOpParallelismThreads(1)
                        .build());
    }

    private static Operand<TFloat32> antialiased(Ops tf, Operand<TUint8> batch, Operand<TInt32> size) {
        Operand<TInt32> from = tf.slice(tf.shape(batch), tf.constant(new int[] {1}), tf.constant(new int[] {2}));
        Operand<TFloat32> scale =
                tf.math.div(tf.dtypes.cast(size, TFloat32.class), tf.dtypes.cast(from, TFloat32.class));
        return tf.image.scaleAndTranslate(
                batch,
                size,
                scale,
                tf.constant(new float[] {0, 0}),
                ScaleAndTranslate.kernelType("triangle"),
                ScaleAndTranslate.antialias(true));
    }

    /** A byte of the picture, so that no work can be skipped. */
    private int decode(byte[] jpeg) {
        try (TString contents = TString.tensorOfBytes(NdArrays.scalarOfObject(jpeg));
                Result result =
                        session.runner().feed(file, contents).fetch(picture).run()) {
            return ((TUint8) result.get(0)).getByte(0, 0, 0, 0);
        }
    }

    @Override
    public void close() {
        session.close();
        graph.close();
    }
}
