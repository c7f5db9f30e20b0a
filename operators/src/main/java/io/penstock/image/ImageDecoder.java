package io.penstock.image;

import io.penstock.image.internal.PixelRows;
import io.penstock.image.internal.Resampling;
import io.penstock.pipeline.FormatException;
import io.penstock.pipeline.HeapLimit;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Decodes JPEG, PNG, GIF, BMP and WebP images, {@code u8[n]}, to red, green and blue, {@code u8[h, w, 3]}.
 *
 * <p>What comes out, whichever library decodes:
 * <ul>
 *   <li>the picture as it was seen: the EXIF orientation is applied;
 *   <li>sample values as stored: embedded colour profiles and gamma values are not applied, like Pillow and torchvision;
 *   <li>grey is spread over three channels; CMYK and YCCK JPEGs are converted by the plain formula;
 *   <li>alpha is dropped: transparent places show the colour that is stored below them;
 *   <li>the upper 8 of 16 bits; the first picture of an animation.
 * </ul>
 *
 * <p>The libraries' values differ slightly for JPEG and WebP, so {@link #id} belongs into the stage's name, from which
 * the cache's fingerprint is made. PNG, GIF and BMP come out the same.
 *
 * <p>Not decoded, with an error that says so: lossless JPEG and JPEG with more than 8 bits; files cut off before their
 * end marker; images whose header announces more pixels than {@link #maxPixels}, before anything is allocated. Damage
 * inside a JPEG's scan that leaves the end marker is passed over, as libjpeg does.
 *
 * <p>Immutable and thread-safe. Runs on the caller's thread, does no I/O, and keeps no memory after a call.
 */
public final class ImageDecoder {

    static final String HOW_TO_ADD =
            "add the artifacts org.bytedeco:javacpp, openblas and opencv, each also with classifier linux-x86_64";

    /** A pixel takes three bytes, and a fourth in formats with palettes. */
    static final long MAX_PIXELS = HeapLimit.of(4L << 28, 1) / 4;

    private final Backend backend;
    private final long maxPixels;

    private ImageDecoder(Backend backend, long maxPixels) {
        this.backend = backend;
        this.maxPixels = maxPixels;
    }

    /** OpenCV where its optional jars are present and fit this machine, otherwise the JDK; {@link #id} says which. */
    public static ImageDecoder fastest() {
        try {
            return openCv();
        } catch (IllegalStateException e) {
            return jdk();
        }
    }

    /** The JDK's own readers; no WebP. JPEG takes about twice as long as with OpenCV. */
    public static ImageDecoder jdk() {
        return new ImageDecoder(new JdkBackend(), MAX_PIXELS);
    }

    /**
     * OpenCV, whose own threads are switched off in this process: parallelism is the pipeline's.
     * @throws IllegalStateException if its jars are not there or their native libraries do not load; names them
     */
    public static ImageDecoder openCv() {
        try {
            return new ImageDecoder(new OpenCvBackend(new JdkBackend()), MAX_PIXELS);
        } catch (LinkageError e) {
            throw new IllegalStateException("OpenCV cannot be loaded: " + HOW_TO_ADD + ": " + e, e);
        }
    }

    /**
     * The same decoder with another limit on an image's height times width, by default 2^28, or what half the heap
     * holds if that is less; the memory needed is three
     * bytes a pixel, and up to nine for progressive JPEGs.
     * @throws IllegalArgumentException if the limit is not in [1, 715,827,861]: a tensor has at most 2 GiB
     */
    public ImageDecoder maxPixels(long limit) {
        long most = PixelRows.MAX_BYTES / 3;
        if (limit < 1 || limit > most) {
            throw new IllegalArgumentException("max pixels must be in [1, %d], was %d".formatted(most, limit));
        }
        return new ImageDecoder(backend, limit);
    }

    /** The decoding library and its version: {@code opencv 4.13.0}. */
    public String id() {
        return backend.id();
    }

    /**
     * Decodes one image, {@code u8[n]} to {@code u8[h, w, 3]}.
     * @throws FormatException if the bytes are no such image, broken, cut off or too large; says which
     * @throws IllegalStateException if the image is WebP and the library has no reader for it; names one that has
     */
    public Tensor decode(Tensor encoded) {
        ByteBuffer bytes = bytes(encoded);
        Header header = Header.read(bytes, maxPixels);
        return upright(bytes, header, 1);
    }

    /**
     * Decodes to no less than twice the given size, straight to 1/2, 1/4 or 1/8 where format and library can: for an
     * antialiased resize that follows and is to be cheap. Prefer {@link #decodeReduced}, which does both, and knows that
     * the last row or column of a reduced picture may hang over its edge.
     *
     * @throws IllegalArgumentException if a side is less than 1
     * @throws FormatException as in {@link #decode}
     */
    public Tensor decodeAtLeast(Tensor encoded, int height, int width) {
        if (height < 1 || width < 1) {
            throw new IllegalArgumentException(
                    "height and width must be at least 1, were %d and %d".formatted(height, width));
        }
        ByteBuffer bytes = bytes(encoded);
        Header header = Header.read(bytes, maxPixels);
        return upright(bytes, header, denominator(header, new Size(height, width)));
    }

    /** Decodes and resizes: the same values as {@code resize.apply(decode(encoded))}, with less copying. */
    public Tensor decode(Tensor encoded, Resize resize) {
        ByteBuffer bytes = bytes(encoded);
        Header header = Header.read(bytes, maxPixels);
        if (header.orientation() != 1) {
            return resize.apply(upright(bytes, header, 1));
        }
        return resized(bytes, header, 1, resize);
    }

    /**
     * Decodes at a reduced scale of at least twice the size that is wanted, where format and library can, and resizes
     * from there: a JPEG to 1/2, 1/4 or 1/8 with OpenCV, otherwise the same as {@link #decode(Tensor, Resize)}.
     *
     * <p>Of 80 photographs decoded to half, with twice the wanted size left, values differ from a full decode's by 0.5
     * levels on average, and 99 of 100 by 8 or less in the worst; with 1.5 times left it is 0.7 and 12, with 4 times 0.2
     * and 2. A photograph of 2,000 x 1,500 pixels takes less than two thirds of the time.
     */
    public Tensor decodeReduced(Tensor encoded, Resize resize) {
        ByteBuffer bytes = bytes(encoded);
        Header header = Header.read(bytes, maxPixels);
        Size seen = header.seen();
        int denominator = denominator(header, resize.target(seen.height(), seen.width()));
        return denominator == 1 ? decode(encoded, resize) : resized(bytes, header, denominator, resize);
    }

    private Tensor resized(ByteBuffer bytes, Header header, int denominator, Resize resize) {
        Size seen = header.seen();
        Size target = resize.target(seen.height(), seen.width());
        boolean transposed = Orientation.transposes(header.orientation());
        Size stored = transposed ? target.transposed() : target;
        double extentHeight = (double) header.size().height() / denominator;
        double extentWidth = (double) header.size().width() / denominator;
        Tensor image = backend.decode(
                bytes,
                header,
                denominator,
                rows -> Resampling.bytes(rows, extentHeight, extentWidth, stored.height(), stored.width()));
        return Orientation.apply(header.orientation(), image);
    }

    private int denominator(Header header, Size target) {
        return backend.reduces() ? header.denominator(target) : 1;
    }

    private Tensor upright(ByteBuffer bytes, Header header, int denominator) {
        return Orientation.apply(header.orientation(), backend.decode(bytes, header, denominator, PixelRows::toTensor));
    }

    private static ByteBuffer bytes(Tensor encoded) {
        if (encoded.dtype() != DType.U8 || encoded.shape().rank() != 1) {
            throw new IllegalArgumentException(
                    "cannot decode %s: wanted the bytes of an image, u8[n]".formatted(encoded));
        }
        return encoded.data().order(ByteOrder.BIG_ENDIAN);
    }

    @Override
    public String toString() {
        return "decode with " + id();
    }
}
