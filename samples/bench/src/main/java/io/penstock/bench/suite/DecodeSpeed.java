package io.penstock.bench.suite;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Result;
import io.penstock.bench.Rounds;
import io.penstock.fault.StoreException;
import io.penstock.image.ImageDecoder;
import io.penstock.image.Resize;
import io.penstock.internal.FileErrors;
import io.penstock.pictures.Photograph;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * JPEG files decoded and resized to 224 × 224 a second on one thread: our decoders against bare calls of OpenCV. The
 * limit is the call with an antialiased resize, which is the same work; the other one shows the cost of antialiasing.
 */
public final class DecodeSpeed implements Benchmark {

    private static final int SIDE = 224;
    private static final int WARM_UP = 2;
    private static final int ROW = 8;

    @Override
    public String name() {
        return "decode";
    }

    @Override
    public List<Result> run(BenchOptions options) {
        options.progress().accept("decode: preparing pictures");
        List<byte[]> files = files(options, options.choose(200, 60));
        List<Tensor> tensors = files.stream().map(Tensor::ofBytes).toList();
        List<ByteBuffer> buffers = files.stream().map(DecodeSpeed::direct).toList();
        ImageDecoder fastest = ImageDecoder.fastest();
        ImageDecoder jdk = ImageDecoder.jdk();
        Resize resize = Resize.exact(SIDE, SIDE);
        long[] sum = {0};
        BareOpenCv.onOneThread();
        try (BareOpenCv area = BareOpenCv.area(SIDE);
                BareOpenCv linear = BareOpenCv.linear(SIDE)) {
            List<DoubleSupplier> contestants = List.of(
                    () -> perSecond(tensors, file -> decode(fastest, resize, file), sum),
                    () -> perSecond(buffers, area::decode, sum),
                    () -> perSecond(buffers, linear::decode, sum),
                    () -> perSecond(tensors, file -> decode(jdk, resize, file), sum));
            Rounds rounds = options.rounds("decode", WARM_UP, options.choose(9, 5), contestants);
            return results(rounds, fastest, jdk, files);
        }
    }

    private List<Result> results(Rounds rounds, ImageDecoder fastest, ImageDecoder jdk, List<byte[]> files) {
        double kilobytes =
                files.stream().mapToInt(file -> file.length).average().orElse(0) / 1000;
        return List.of(
                Result.of("mean size of the %d files".formatted(files.size()), kilobytes, "kB"),
                Result.of("ours, " + fastest.id() + ", " + resizeName(), rounds.median(0), "images/s"),
                Result.of("bare OpenCV, INTER_AREA", rounds.median(1), "images/s"),
                Result.of("bare OpenCV, INTER_LINEAR (aliases)", rounds.median(2), "images/s"),
                Result.of("ours, " + jdk.id() + ", " + resizeName(), rounds.median(3), "images/s"),
                Result.of("ours of bare INTER_AREA", 100 * rounds.medianRatio(0, 1), "%")
                        .atLeast(ROW, 100),
                Result.of("ours of bare INTER_LINEAR (aliases)", 100 * rounds.medianRatio(0, 2), "%"));
    }

    private static String resizeName() {
        return Resize.exact(SIDE, SIDE).toString();
    }

    public static int decode(ImageDecoder decoder, Resize resize, Tensor file) {
        return (int) decoder.decodeReduced(file, resize).longAt(0);
    }

    public static <F> double perSecond(List<F> files, ToIntFunction<F> work, long[] sum) {
        long started = System.nanoTime();
        for (F file : files) {
            sum[0] += work.applyAsInt(file);
        }
        return files.size() / ((System.nanoTime() - started) / 1e9);
    }

    private static ByteBuffer direct(byte[] file) {
        return ByteBuffer.allocateDirect(file.length).put(file).flip();
    }

    public static List<byte[]> files(BenchOptions options, int count) {
        if (options.pictures() == null) {
            return IntStream.range(0, count)
                    .parallel()
                    .mapToObj(number -> Photograph.of(number).jpeg())
                    .toList();
        }
        try (Stream<Path> found = Files.walk(options.pictures())) {
            List<byte[]> files = new ArrayList<>();
            for (Path path :
                    found.filter(DecodeSpeed::isJpeg).sorted().limit(count).toList()) {
                files.add(Files.readAllBytes(path));
            }
            if (files.isEmpty()) {
                throw new StoreException("no JPEG files below " + options.pictures());
            }
            return files;
        } catch (IOException e) {
            throw new StoreException(
                    "cannot read pictures from %s: %s".formatted(options.pictures(), FileErrors.reason(e)), e);
        }
    }

    private static boolean isJpeg(Path path) {
        String name = path.toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".jpg") || name.endsWith(".jpeg");
    }
}
