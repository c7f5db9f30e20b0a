package io.penstock.bench.suite;

import java.nio.ByteBuffer;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.global.opencv_imgproc;
import org.bytedeco.opencv.opencv_core.Mat;
import org.bytedeco.opencv.opencv_core.Size;

/** Bare calls of OpenCV's decode and resize, on one thread, into matrices that are reused. */
final class BareOpenCv implements AutoCloseable {

    private final Mat decoded = new Mat();
    private final Mat resized = new Mat();
    private final Size size;
    private final int interpolation;

    BareOpenCv(int side, int interpolation) {
        this.size = new Size(side, side);
        this.interpolation = interpolation;
    }

    static void onOneThread() {
        opencv_core.setNumThreads(1);
    }

    int decode(ByteBuffer direct) {
        try (BytePointer bytes = new BytePointer(direct);
                Mat encoded = new Mat(1, direct.remaining(), opencv_core.CV_8UC1, bytes)) {
            opencv_imgcodecs.imdecode(encoded, opencv_imgcodecs.IMREAD_COLOR, decoded);
            opencv_imgproc.resize(decoded, resized, size, 0, 0, interpolation);
            return resized.data().get() & 255;
        }
    }

    @Override
    public void close() {
        decoded.close();
        resized.close();
        size.close();
    }
}
