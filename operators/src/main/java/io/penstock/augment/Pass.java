package io.penstock.augment;

import io.penstock.image.internal.Mirror;
import io.penstock.internal.HeapLimit;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One pass over an image: each row is copied from the source to its place in the output and changed there, while it is
 * in the L1 cache. The output is the only array of its size.
 *
 * <p>Contrast needs the mean of all pixels, so it and what follows run in a second loop over the output. If bytes
 * become floats, a row of bytes is put into the last quarter of its row of floats: going forward, a float never
 * overwrites a byte that is still to be read. Planes of floats are written from a row of bytes beside them.
 */
final class Pass {

    private final CroppedRows rows;
    private boolean flipped;
    private ColourJitter.@Nullable Colouring colouring;
    private RandomErasing.@Nullable Eraser eraser;
    private @Nullable Normalise normalise;

    Pass(CroppedRows rows) {
        this.rows = rows;
    }

    Pass flipped(boolean value) {
        this.flipped = value;
        return this;
    }

    Pass coloured(ColourJitter.@Nullable Colouring value) {
        this.colouring = value;
        return this;
    }

    Pass erased(RandomErasing.@Nullable Eraser value) {
        this.eraser = value;
        return this;
    }

    Pass normalised(@Nullable Normalise value) {
        this.normalise = value;
        return this;
    }

    /** The new image, or the source itself if nothing is to be done. */
    Tensor run() {
        Tensor image = rows.image();
        if (rows.isWhole() && !flipped && colouring == null && eraser == null && normalise == null) {
            return image;
        }
        Image size = rows.size();
        int pixelBytes = size.channels() * image.dtype().bytes();
        int growth = normalise == null ? 1 : Float.BYTES;
        byte[] result = allocate(size, (long) pixelBytes * growth);
        int rowBytes = size.width() * pixelBytes;
        boolean twoWalks = colouring != null && colouring.needsMean();
        boolean planes = normalise != null && normalise.planes();
        byte[] out = planes ? new byte[twoWalks ? size.height() * rowBytes : rowBytes] : result;
        int step = planes ? twoWalks ? rowBytes : 0 : rowBytes * growth;
        int first = planes ? 0 : step - rowBytes;
        for (int y = 0; y < size.height(); y++) {
            int from = first + y * step;
            if (step == 0) {
                Arrays.fill(out, (byte) 0);
            }
            rows.read(y, out, from);
            if (flipped) {
                Mirror.reverse(out, from, from + rowBytes, pixelBytes);
            }
            if (colouring != null) {
                colouring.before(out, from, from + rowBytes);
            }
            if (!twoWalks) {
                finish(y, out, from, rowBytes, result);
            }
        }
        for (int y = 0; twoWalks && y < size.height(); y++) {
            finish(y, out, first + y * step, rowBytes, result);
        }
        DType dtype = normalise == null ? image.dtype() : DType.F32;
        Shape shape = planes ? Shape.of(size.channels(), size.height(), size.width()) : size.shape();
        return Tensor.of(dtype, shape, ByteBuffer.wrap(result));
    }

    private void finish(int y, byte[] out, int from, int rowBytes, byte[] result) {
        if (colouring != null) {
            colouring.after(out, from, from + rowBytes);
        }
        if (eraser != null) {
            eraser.erase(y, out, from);
        }
        if (normalise != null && normalise.planes()) {
            Image size = rows.size();
            normalise.row(out, from, rowBytes, result, y * size.width() * Float.BYTES, size.channels());
        } else if (normalise != null) {
            normalise.row(out, from, rowBytes);
        }
    }

    private static byte[] allocate(Image size, long pixelBytes) {
        long bytes = Math.multiplyExact((long) size.height() * size.width(), pixelBytes);
        if (bytes > HeapLimit.MAX_ARRAY) {
            throw new IllegalArgumentException("an augmented image of %s, %d bytes a pixel, is beyond 2 GiB; crop less"
                    .formatted(size, pixelBytes));
        }
        return new byte[(int) bytes];
    }
}
