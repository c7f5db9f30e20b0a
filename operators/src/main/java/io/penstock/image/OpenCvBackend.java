package io.penstock.image;

import io.penstock.fault.FormatException;
import io.penstock.image.internal.PixelRows;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Function;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.opencv_core.Mat;

/**
 * OpenCV through JavaCPP: JPEG, PNG and WebP. Frees its native memory before a call returns.
 *
 * <p>One call decodes one image on the caller's thread. OpenCV's own threads are switched off in the whole process,
 * since the pipeline decodes images in parallel already.
 */
final class OpenCvBackend implements Backend {

    private static final int RGB = opencv_imgcodecs.IMREAD_COLOR_RGB | opencv_imgcodecs.IMREAD_IGNORE_ORIENTATION;

    private final Backend others;
    private final String version;

    /**
     * Loads the native libraries.
     * @throws LinkageError if a jar is missing, or does not fit this machine
     */
    OpenCvBackend(Backend others) {
        liftMemoryLimits();
        Loader.load(opencv_imgcodecs.class);
        opencv_core.setNumThreads(1);
        this.others = others;
        this.version = "%d.%d.%d"
                .formatted(opencv_core.CV_VERSION_MAJOR, opencv_core.CV_VERSION_MINOR, opencv_core.CV_VERSION_REVISION);
    }

    /**
     * JavaCPP requests garbage collections, then fails, if the process holds more than four times the heap's limit.
     * Caches off the heap do so by design. JavaCPP takes system properties only; values set by the user stay.
     */
    private static void liftMemoryLimits() {
        for (String limit : new String[] {"maxbytes", "maxphysicalbytes"}) {
            String property = "org.bytedeco.javacpp." + limit;
            if (System.getProperty(property) == null) {
                System.setProperty(property, "0");
            }
        }
    }

    @Override
    public String id() {
        return "opencv " + version;
    }

    @Override
    public boolean reduces() {
        return true;
    }

    @Override
    public Tensor decode(ByteBuffer encoded, Header header, int denominator, Function<PixelRows, Tensor> reader) {
        return switch (header.format()) {
            case JPEG, PNG, WEBP -> decodeNatively(encoded, header, denominator, reader);
            case GIF, BMP -> others.decode(encoded, header, denominator, reader);
        };
    }

    private static Tensor decodeNatively(
            ByteBuffer encoded, Header header, int denominator, Function<PixelRows, Tensor> reader) {
        try (BytePointer memory = new BytePointer((long) encoded.limit() + PlainSegments.MAX_ADDED)) {
            int length = copy(encoded, header, memory.asByteBuffer());
            try (Mat input = new Mat(1, length, opencv_core.CV_8U, memory);
                    Mat image = opencv_imgcodecs.imdecode(input, RGB | scale(denominator))) {
                return read(image, header, denominator, reader);
            }
        }
    }

    private static int copy(ByteBuffer encoded, Header header, ByteBuffer target) {
        switch (header.format()) {
            case JPEG -> PlainSegments.copy(encoded, header.jpeg().colours(), target);
            case PNG -> PngHeader.copyPixels(encoded, target);
            default -> target.put(encoded.duplicate());
        }
        return target.position();
    }

    private static int scale(int denominator) {
        return switch (denominator) {
            case 2 -> opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_2;
            case 4 -> opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_4;
            case 8 -> opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_8;
            default -> 0;
        };
    }

    private static Tensor read(Mat image, Header header, int denominator, Function<PixelRows, Tensor> reader) {
        Size size = header.size().reduced(denominator);
        if (image.rows() != size.height() || image.cols() != size.width() || image.type() != opencv_core.CV_8UC3) {
            throw new FormatException("broken %s: OpenCV cannot decode it, though its header says %s"
                    .formatted(header.format(), header.size()));
        }
        int stride = Math.toIntExact(image.step());
        try (BytePointer data = image.data()) {
            long bytes = (long) stride * (size.height() - 1) + size.width() * 3L;
            ByteBuffer pixels = data.capacity(bytes).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
            return reader.apply(new PixelRows(pixels, stride, size.height(), size.width(), 3));
        }
    }
}
