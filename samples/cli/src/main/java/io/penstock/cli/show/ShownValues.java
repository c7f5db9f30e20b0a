package io.penstock.cli.show;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.tensor.Tensor;
import java.math.BigInteger;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The elements of a tensor, the first of many, for people and as JSON. */
final class ShownValues {

    private static final int MOST = 100;

    private ShownValues() {}

    private static List<Object> shown(Tensor tensor) {
        return IntStream.range(0, (int) Math.min(MOST, tensor.shape().elements()))
                .mapToObj(element -> value(tensor, element))
                .toList();
    }

    private static Object value(Tensor tensor, int element) {
        return switch (tensor.dtype()) {
            case F16, BF16, F32, F64 -> tensor.doubleAt(element);
            case U64 -> new BigInteger(Long.toUnsignedString(tensor.longAt(element)));
            default -> tensor.longAt(element);
        };
    }

    /** {@code values} as far as they are shown. JSON has no NaN, so Jackson makes that a text. */
    static void write(Tensor tensor, ObjectNode node) {
        node.put("dtype", tensor.dtype().toString());
        ArrayNode shape = node.putArray("shape");
        for (long length : tensor.shape().toArray()) {
            shape.add(length);
        }
        List<Object> values = shown(tensor);
        values.forEach(node.put("shown", values.size()).putArray("values")::addPOJO);
    }

    static String text(Tensor tensor) {
        List<Object> values = shown(tensor);
        return values.stream().map(Object::toString).collect(Collectors.joining(" "))
                + (values.size() < tensor.shape().elements() ? " …" : "");
    }
}
