package io.penstock.bench.suite;

import io.penstock.bench.Bench;
import io.penstock.bench.Rounds;
import io.penstock.bench.Seconds;
import io.penstock.folder.ImageFolder;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.order.Sampler;
import io.penstock.pictures.Photograph;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bytedeco.opencv.global.opencv_imgproc;

/**
 * JPEG files decoded and resized to 224 × 224 a second on one thread: our decoder against bare calls of OpenCV. The
 * limit is the call with an antialiased resize, which is the same work; the other one shows the cost of antialiasing.
 */
public final class DecodeSpeed {

    public static final int SIDE = 224;

    private static final Resize RESIZE = Resize.exact(SIDE, SIDE);
    private static final int WARM_UP = 2;

    private DecodeSpeed() {}

    public static void run(Bench bench) {
        List<byte[]> files = files(bench);
        List<ByteBuffer> buffers = files.stream()
                .map(file -> ByteBuffer.allocateDirect(file.length).put(file).flip())
                .toList();
        try (BareOpenCv area = new BareOpenCv(SIDE, opencv_imgproc.INTER_AREA);
                BareOpenCv linear = new BareOpenCv(SIDE, opencv_imgproc.INTER_LINEAR)) {
            Rounds rounds = against(
                    bench,
                    "decode",
                    files,
                    List.of(() -> perSecond(buffers, area::decode), () -> perSecond(buffers, linear::decode)));
            bench.found("bare OpenCV, INTER_AREA", rounds.median(1), "images/s");
            bench.found("bare OpenCV, INTER_LINEAR (aliases)", rounds.median(2), "images/s");
            bench.atLeast(100, "ours of bare INTER_AREA", 100 * rounds.medianRatio(0, 1), "%");
            bench.found("ours of bare INTER_LINEAR (aliases)", 100 * rounds.medianRatio(0, 2), "%");
        }
    }

    /** Our fastest decoder, the first contestant, and others, in turn. OpenCV's calls use one thread. */
    public static Rounds against(Bench bench, String what, List<byte[]> files, List<DoubleSupplier> others) {
        BareOpenCv.onOneThread();
        ImageDecoder fastest = ImageDecoder.fastest();
        List<Tensor> tensors = tensors(files);
        List<DoubleSupplier> contestants =
                new ArrayList<>(List.of(() -> perSecond(tensors, file -> decode(fastest, file))));
        contestants.addAll(others);
        Rounds rounds = bench.rounds(what, WARM_UP, bench.choose(9, 5), contestants);
        double kilobytes =
                files.stream().mapToInt(file -> file.length).average().orElse(0) / 1000;
        bench.found("mean size of the %d files".formatted(files.size()), kilobytes, "kB");
        bench.found("ours, %s, %s".formatted(fastest.id(), RESIZE), rounds.median(0), "images/s");
        return rounds;
    }

    private static List<Tensor> tensors(List<byte[]> files) {
        return files.stream().map(Tensor::ofBytes).toList();
    }

    private static int decode(ImageDecoder decoder, Tensor file) {
        return (int) decoder.decodeReduced(file, RESIZE).longAt(0);
    }

    /** Files a second; the sum of what the work returns is used, so that the compiler cannot remove it. */
    public static <F> double perSecond(List<F> files, ToIntFunction<F> work) {
        long sum = 0;
        long started = System.nanoTime();
        for (F file : files) {
            sum += work.applyAsInt(file);
        }
        double seconds = Seconds.since(started);
        return sum < 0 ? Double.NaN : files.size() / seconds;
    }

    /** The user's files, or made ones. */
    public static List<byte[]> files(Bench bench) {
        int count = bench.choose(200, 60);
        bench.progress("preparing %d pictures", count);
        if (bench.pictures() == null) {
            return IntStream.range(0, count)
                    .parallel()
                    .mapToObj(number -> Photograph.of(number).jpeg())
                    .toList();
        }
        return ImageFolder.open(bench.pictures()).stream(Sampler.sequential())
                .take(count)
                .map(sample -> sample.value().bytes().toByteArray())
                .collect(Collectors.toList())
                .blockOptional()
                .orElseThrow();
    }
}
