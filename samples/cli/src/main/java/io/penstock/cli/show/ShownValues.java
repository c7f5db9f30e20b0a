package io.penstock.cli.show;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** The elements of a tensor, the first of many, for people and as JSON. */
final class ShownValues {

    private static final int MOST = 100;

    private ShownValues() {}

    private static boolean isFloat(Tensor tensor) {
        return switch (tensor.dtype()) {
            case F16, BF16, F32, F64 -> true;
            default -> false;
        };
    }

    private static int shown(Tensor tensor) {
        return (int) Math.min(MOST, tensor.shape().elements());
    }

    /**
     * {@code values} as far as they are shown. JSON has no NaN, so that is a text.
     */
    static void write(Tensor tensor, ObjectNode node) {
        node.put("dtype", tensor.dtype().toString());
        ArrayNode shape = node.putArray("shape");
        for (long length : tensor.shape().toArray()) {
            shape.add(length);
        }
        int count = shown(tensor);
        node.put("shown", count);
        ArrayNode values = node.putArray("values");
        for (int i = 0; i < count; i++) {
            double value = isFloat(tensor) ? tensor.doubleAt(i) : 0;
            if (tensor.dtype() == DType.U64) {
                values.add(new BigInteger(Long.toUnsignedString(tensor.longAt(i))));
            } else if (!isFloat(tensor)) {
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
        List<String> values = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            values.add(text(tensor, i));
        }
        return String.join(" ", values) + more;
    }

    private static String text(Tensor tensor, int element) {
        return switch (tensor.dtype()) {
            case F16, BF16, F32, F64 -> Double.toString(tensor.doubleAt(element));
            case U64 -> Long.toUnsignedString(tensor.longAt(element));
            default -> Long.toString(tensor.longAt(element));
        };
    }
}
