package io.penstock.image.internal;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Cells taken as they are, never mixed: the kernel of masks. */
public final class Nearest {

    private Nearest() {}

    /** Where cell {@code y * width + x} of a grid comes from, given where its rows and columns do. */
    public static int[] grid(int[] rows, int[] columns, int sourceWidth) {
        int[] from = new int[Math.multiplyExact(rows.length, columns.length)];
        for (int y = 0; y < rows.length; y++) {
            int row = rows[y] * sourceWidth;
            int at = y * columns.length;
            for (int x = 0; x < columns.length; x++) {
                from[at + x] =
                        row + columns[x] | (rows[y] | columns[x]) >> 31; // all ones, -1, where either is negative
            }
        }
        return from;
    }

    /** A grid of another size: each cell is the one that its middle lies in. */
    public static Tensor resized(Tensor source, int height, int width) {
        int fromHeight = (int) source.shape().dim(0);
        int fromWidth = (int) source.shape().dim(1);
        if (fromHeight == height && fromWidth == width) {
            return source;
        }
        int[] from = grid(middles(fromHeight, height), middles(fromWidth, width), fromWidth);
        return take(source, from, height, width, 0);
    }

    private static int[] middles(int from, int to) {
        int[] middles = new int[to];
        Arrays.setAll(middles, i -> (int) ((2L * i + 1) * from / (2L * to)));
        return middles;
    }

    /**
     * The cells of {@code [h, w]} or {@code [h, w, c]} at these places.
     * @param from places in the source, row by row; -1 is outside
     * @param fill the value of cells that are outside
     */
    public static Tensor take(Tensor source, int[] from, int height, int width, long fill) {
        Shape shape = source.shape();
        int channels = shape.rank() == 3 ? (int) shape.dim(2) : 1;
        int bytes = channels * source.dtype().bytes();
        byte[] cells = source.toByteArray();
        byte[] taken = new byte[Math.multiplyExact(from.length, bytes)];
        byte[] outside = cell(source.dtype(), channels, fill);
        for (int i = 0; i < from.length; i++) {
            if (bytes == 1) {
                taken[i] = from[i] < 0 ? outside[0] : cells[from[i]];
            } else {
                System.arraycopy(from[i] < 0 ? outside : cells, Math.max(0, from[i]) * bytes, taken, i * bytes, bytes);
            }
        }
        Shape result = shape.rank() == 3 ? Shape.of(height, width, channels) : Shape.of(height, width);
        return Tensor.of(source.dtype(), result, ByteBuffer.wrap(taken));
    }

    private static byte[] cell(DType dtype, int channels, long fill) {
        ByteBuffer cell =
                ByteBuffer.allocate(channels * dtype.bytes() + Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int channel = 0; channel < channels; channel++) {
            int at = channel * dtype.bytes();
            switch (dtype) {
                case F32 -> cell.putFloat(at, (float) fill);
                case F64 -> cell.putDouble(at, (double) fill);
                case F16, BF16 -> cell.putLong(at, 0); // of these, only zero is asked for
                default -> cell.putLong(at, fill);
            }
        }
        return cell.array();
    }
}
