package io.penstock.peers;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.bench.suite.BareOpenCv;
import io.penstock.bench.suite.DecodeSpeed;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.tensor.Tensor;
import java.util.List;

/** JPEG files decoded and resized to 224 × 224 a second, on one thread: ours against TensorFlow's kernels. */
public final class TensorFlowDecodeSpeed implements Benchmark {

    private static final int SIDE = 224;
    private static final int WARM_UP = 2;
    private static final int ROW = 8;

    @Override
    public String name() {
        return "tensorflow";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        List<byte[]> files = DecodeSpeed.files(options, options.choose(200, 60));
        List<Tensor> tensors = files.stream().map(Tensor::ofBytes).toList();
        ImageDecoder fastest = ImageDecoder.fastest();
        Resize resize = Resize.exact(SIDE, SIDE);
        long[] sum = {0};
        BareOpenCv.onOneThread();
        try (TensorFlowDecoder antialiased = new TensorFlowDecoder(SIDE, true);
                TensorFlowDecoder plain = new TensorFlowDecoder(SIDE, false)) {
            Rounds rounds = options.rounds(
                    "tensorflow",
                    WARM_UP,
                    options.choose(9, 5),
                    List.of(
                            () -> DecodeSpeed.perSecond(
                                    tensors, file -> DecodeSpeed.decode(fastest, resize, file), sum),
                            () -> DecodeSpeed.perSecond(files, antialiased::decode, sum),
                            () -> DecodeSpeed.perSecond(files, plain::decode, sum)));
            return List.of(
                    Result.of("ours, " + fastest.id() + ", " + resize, rounds.median(0), "images/s"),
                    Result.of("TensorFlow, antialiased", rounds.median(1), "images/s"),
                    Result.of("TensorFlow, not antialiased", rounds.median(2), "images/s"),
                    Result.of("ours of TensorFlow's antialiased", 100 * rounds.medianRatio(0, 1), "%")
                            .atLeast(ROW, 100),
                    Result.of("ours of TensorFlow's not antialiased", 100 * rounds.medianRatio(0, 2), "%"));
        }
    }
}
