package io.penstock.augment;

import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The rows of a rectangle resized, straight from the source: for each row of the result, the source rows it is made of
 * are added up, and the sum is then reduced along its width. Source rows are read once each and kept as floats for as
 * long as they are needed, so what is held beside the output is a few rows.
 */
final class ResizedRows implements Rows {

    private static final VarHandle FLOATS =
            MethodHandles.byteArrayViewVarHandle(float[].class, ByteOrder.LITTLE_ENDIAN);

    private final Tensor image;
    private final Image source;
    private final Image target;
    private final Region region;
    private final Taps down;
    private final Taps across;
    private final byte[] bytes; // one row of the region as it comes
    private final float[][] kept; // row y of the region at y % kept.length
    private int known; // how many rows of the region have been read
    private final float[] sum;

    ResizedRows(Tensor image, Region region, int height, int width) {
        this.image = image;
        this.source = Image.of(image.shape());
        this.target = source.resized(height, width);
        this.region = region;
        this.down = Taps.of(region.height(), height);
        this.across = Taps.of(region.width(), width);
        int elements = region.width() * source.channels();
        this.bytes = new byte[elements * image.dtype().bytes()];
        this.kept = new float[down.most()][elements];
        this.sum = new float[elements];
    }

    @Override
    public Image size() {
        return target;
    }

    @Override
    public void read(int row, byte[] out, int at) {
        int first = down.first(row);
        int count = down.count(row);
        while (known < first + count) {
            load(known++);
        }
        int weights = row * down.most();
        scale(kept[first % kept.length], down.weights()[weights]);
        for (int k = 1; k < count; k++) {
            add(kept[(first + k) % kept.length], down.weights()[weights + k]);
        }
        if (image.dtype() == DType.F32) {
            floats(out, at);
        } else if (source.channels() == 3) {
            triples(out, at);
        } else {
            bytes(out, at);
        }
    }

    private void load(int y) {
        int pixelBytes = source.channels() * image.dtype().bytes();
        int offset = ((region.top() + y) * source.width() + region.left()) * pixelBytes;
        image.copyTo(offset, bytes, 0, bytes.length);
        float[] row = kept[y % kept.length];
        if (image.dtype() == DType.F32) {
            for (int i = 0; i < row.length; i++) {
                row[i] = (float) FLOATS.get(bytes, i * Float.BYTES);
            }
        } else {
            for (int i = 0; i < row.length; i++) {
                row[i] = bytes[i] & 0xFF;
            }
        }
    }

    private void scale(float[] row, float weight) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] = row[i] * weight;
        }
    }

    private void add(float[] row, float weight) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += row[i] * weight;
        }
    }

    private void triples(byte[] out, int start) {
        float[] weights = across.weights();
        for (int x = 0, at = start; x < target.width(); x++, at += 3) {
            float red = 0.5f;
            float green = 0.5f;
            float blue = 0.5f;
            int from = across.first(x) * 3;
            int w = x * across.most();
            for (int end = w + across.count(x); w < end; w++, from += 3) {
                red += sum[from] * weights[w];
                green += sum[from + 1] * weights[w];
                blue += sum[from + 2] * weights[w];
            }
            out[at] = (byte) red;
            out[at + 1] = (byte) green;
            out[at + 2] = (byte) blue;
        }
    }

    private void bytes(byte[] out, int start) {
        int channels = source.channels();
        for (int i = 0; i < target.width() * channels; i++) {
            out[start + i] = (byte) (value(i / channels, i % channels) + 0.5f);
        }
    }

    private void floats(byte[] out, int start) {
        int channels = source.channels();
        for (int i = 0; i < target.width() * channels; i++) {
            FLOATS.set(out, start + i * Float.BYTES, value(i / channels, i % channels));
        }
    }

    private float value(int x, int channel) {
        float value = 0;
        int from = across.first(x) * source.channels() + channel;
        int w = x * across.most();
        for (int end = w + across.count(x); w < end; w++, from += source.channels()) {
            value += sum[from] * across.weights()[w];
        }
        return value;
    }
}
