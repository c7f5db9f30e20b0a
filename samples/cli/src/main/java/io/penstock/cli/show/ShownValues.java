package io.penstock.cli.show;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The elements of a tensor, the first of many, for people and as JSON. */
final class ShownValues {

    private static final int MOST = 100;

    private ShownValues() {}

    private static boolean isPlain(Tensor tensor) {
        return tensor.dtype() != DType.F16 && tensor.dtype() != DType.BF16;
    }

    private static boolean isFloat(Tensor tensor) {
        return tensor.dtype() == DType.F32 || tensor.dtype() == DType.F64;
    }

    private static int shown(Tensor tensor) {
        return (int) Math.min(MOST, tensor.shape().elements());
    }

    /**
     * {@code values} as far as they are shown; half-precision ones as {@code hex}. JSON has no NaN, so that is a text.
     */
    static void write(Tensor tensor, ObjectNode node) {
        node.put("dtype", tensor.dtype().toString());
        ArrayNode shape = node.putArray("shape");
        for (long length : tensor.shape().toArray()) {
            shape.add(length);
        }
        int count = shown(tensor);
        node.put("shown", count);
        if (!isPlain(tensor)) {
            node.put("hex", hex(tensor, count));
            return;
        }
        ArrayNode values = node.putArray("values");
        for (int i = 0; i < count; i++) {
            double value = isFloat(tensor) ? tensor.doubleAt(i) : 0;
            if (!isFloat(tensor)) {
                values.add(tensor.longAt(i));
            } else if (Double.isFinite(value)) {
                values.add(value);
            } else {
                values.add(Double.toString(value));
            }
        }
    }

    static String text(Tensor tensor) {
        int count = shown(tensor);
        String more = count < tensor.shape().elements() ? " …" : "";
        if (!isPlain(tensor)) {
            return hex(tensor, count) + more;
        }
        List<String> values = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            values.add(isFloat(tensor) ? Double.toString(tensor.doubleAt(i)) : Long.toString(tensor.longAt(i)));
        }
        return String.join(" ", values) + more;
    }

    private static String hex(Tensor tensor, int elements) {
        byte[] bytes = new byte[elements * tensor.dtype().bytes()];
        tensor.copyTo(0, bytes, 0, bytes.length);
        return HexFormat.of().formatHex(bytes);
    }
}
