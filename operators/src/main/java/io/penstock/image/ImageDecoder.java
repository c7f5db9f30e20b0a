package io.penstock.image;

import io.penstock.fault.FormatException;
import io.penstock.image.internal.PixelRows;
import io.penstock.image.internal.Resampling;
import io.penstock.internal.Arguments;
import io.penstock.internal.HeapLimit;
import io.penstock.internal.Notice;
import io.penstock.internal.OptionalLibrary;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes JPEG, PNG, GIF, BMP and WebP images, {@code u8[n]}, to red, green and blue, {@code u8[h, w, 3]}.
 *
 * <p>The result, with each library:
 * <ul>
 *   <li>the EXIF orientation is applied;
 *   <li>embedded colour profiles and gamma values are not applied, as in Pillow and torchvision;
 *   <li>grey is copied to three channels; CMYK and YCCK JPEGs are converted by the plain formula;
 *   <li>alpha is dropped: transparent pixels show their stored colour;
 *   <li>of 16 bits the upper 8 stay; of an animation the first frame.
 * </ul>
 *
 * <p>Values of JPEG and WebP differ slightly between libraries, so {@link #id} belongs in the stage's name, which is
 * part of the cache's fingerprint. Values of PNG, GIF and BMP do not differ.
 *
 * <p>Refused with an error: lossless JPEG and JPEG with more than 8 bits; truncated files; images whose header
 * announces more pixels than {@link #maxPixels}, before memory is allocated. Damage inside a JPEG's scan that leaves
 * the end marker is not found, as in libjpeg.
 *
 * <p>Threads: immutable and thread-safe; runs on the caller's thread. Memory: resizing keeps at most 2 MiB for
 * each processor.
 */
public final class ImageDecoder {

    private static final Logger LOG = LoggerFactory.getLogger(ImageDecoder.class);

    static final String HOW_TO_ADD =
            "add " + String.join(", ", OptionalLibrary.OPENCV.artifacts()) + ", each also with classifier linux-x86_64";

    /** A pixel takes three bytes, and one more in formats with palettes. */
    static final long MAX_PIXELS = HeapLimit.of(4L << 28, 1) / 4;

    private final Backend backend;
    private final long maxPixels;

    private ImageDecoder(Backend backend, long maxPixels) {
        this.backend = backend;
        this.maxPixels = maxPixels;
    }

    /**
     * OpenCV if its optional jars are present and fit this machine, otherwise the JDK, with a warning and the cause.
     * {@link #id} names it, and so do the keys of caches where it stands in the stage's name: a cache that one decoder
     * filled is not hit with the other.
     */
    public static ImageDecoder fastest() {
        try {
            return openCv();
        } catch (IllegalStateException e) {
            ImageDecoder jdk = jdk();
            Notice.warn(
                    LOG,
                    "images are decoded by the JDK ({}), which takes about twice as long as OpenCV. {}",
                    jdk.id(),
                    e.getMessage());
            return jdk;
        }
    }

    /** The JDK's own readers; no WebP. JPEG takes about twice as long as with OpenCV. */
    public static ImageDecoder jdk() {
        return new ImageDecoder(new JdkBackend(), MAX_PIXELS);
    }

    /**
     * OpenCV. Its own threads are switched off in this process, since the pipeline runs decoders in parallel.
     * @throws IllegalStateException if its jars are missing or their native libraries do not load
     */
    public static ImageDecoder openCv() {
        try {
            return new ImageDecoder(new OpenCvBackend(new JdkBackend()), MAX_PIXELS);
        } catch (LinkageError e) {
            boolean absent = e.getCause() instanceof ClassNotFoundException;
            String why = absent ? "is not on the class path" : "does not load (" + e + ")";
            throw new IllegalStateException("OpenCV " + why + ": " + HOW_TO_ADD, e);
        }
    }

    /**
     * The same decoder with another limit on an image's height times width. The default is 2^28, or less if half the
     * heap holds less. A pixel needs three bytes, and up to nine in progressive JPEGs.
     * @throws IllegalArgumentException if the limit is not in [1, 715,827,861]: a tensor has at most 2 GiB
     */
    public ImageDecoder maxPixels(long limit) {
        long max = PixelRows.MAX_BYTES / 3;
        Arguments.refuse(limit < 1 || limit > max, "max pixels must be in [1, %d], was %d", max, limit);
        return new ImageDecoder(backend, limit);
    }

    /** The decoding library and its version: {@code opencv 4.13.0}. */
    public String id() {
        return backend.id();
    }

    /**
     * Decodes one image, {@code u8[n]} to {@code u8[h, w, 3]}.
     * @throws FormatException if the bytes are no such image, broken, truncated or too large
     * @throws IllegalStateException if the image is WebP and the library has no reader for it
     */
    public Tensor decode(Tensor encoded) {
        ByteBuffer bytes = bytes(encoded);
        Header header = Header.read(bytes, maxPixels);
        return upright(bytes, header);
    }

    /** Decodes and resizes: the same values as {@code resize.apply(decode(encoded))}, with less copying. */
    public Tensor decode(Tensor encoded, Resize resize) {
        ByteBuffer bytes = bytes(encoded);
        Header header = Header.read(bytes, maxPixels);
        if (header.orientation() != 1) {
            return resize.apply(upright(bytes, header));
        }
        return resized(bytes, header, 1, resize);
    }

    /**
     * Decodes a JPEG to 1/2, 1/4 or 1/8 with OpenCV if at least twice the target size is left, and resizes from there.
     * Otherwise the same as {@link #decode(Tensor, Resize)}.
     *
     * <p>80 photographs decoded to half, to twice the target size, differ from a full decode by 0.5 of 255 on average;
     * in the worst one 99 of 100 values differ by 8 or less. A photograph of 2,000 x 1,500 pixels takes less than two
     * thirds of the time.
     */
    public Tensor decodeReduced(Tensor encoded, Resize resize) {
        ByteBuffer bytes = bytes(encoded);
        Header header = Header.read(bytes, maxPixels);
        Size seen = header.seen();
        Size target = resize.target(seen.height(), seen.width());
        int denominator = backend.reduces() ? header.denominator(target) : 1;
        return denominator == 1 ? decode(encoded, resize) : resized(bytes, header, denominator, resize);
    }

    /**
     * Decodes a PNG or TIFF to the numbers that it stores: the indices of a palette instead of its colours, 16 bits as 16
     * bits. So it reads masks of classes, and depths. Always by the JDK: the same with each library.
     *
     * <p>One channel becomes {@code [h, w]}, several {@code [h, w, c]}; {@code u8} for up to 8 bits, {@code u16} for up to
     * 16, {@code i16}, {@code i32} or {@code f32} where a TIFF says so. No orientation is applied.
     * @throws FormatException if the bytes are no such image, broken, truncated or too large
     */
    public Tensor decodeStored(Tensor encoded) {
        return StoredNumbers.decode(bytes(encoded), maxPixels);
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

    private Tensor upright(ByteBuffer bytes, Header header) {
        return Orientation.apply(header.orientation(), backend.decode(bytes, header, 1, PixelRows::toTensor));
    }

    private static ByteBuffer bytes(Tensor encoded) {
        if (encoded.dtype() != DType.U8 || encoded.shape().rank() != 1) {
            throw new IllegalArgumentException(
                    "cannot decode %s: it takes the bytes of an image, u8[n]".formatted(encoded.type()));
        }
        return encoded.data().order(ByteOrder.BIG_ENDIAN);
    }

    @Override
    public String toString() {
        return "decode with " + id();
    }
}
