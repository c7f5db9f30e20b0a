package io.penstock.programs;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A model as bytes, and ONNX Runtime by reflection, since only the profile {@code train} has it. */
final class OnnxModel {

    static final String RUNTIME = "ai.onnxruntime.OrtEnvironment";
    private static final long FLOAT = 1;
    private static final long INTS = 7;

    private final ByteArrayOutputStream message = new ByteArrayOutputStream();

    @FunctionalInterface
    interface Use {
        void of(Object session) throws Exception;
    }

    static void inSession(byte[] model, Use use) throws Exception {
        Class<?> runtime = Class.forName(RUNTIME);
        Object environment = runtime.getMethod("getEnvironment").invoke(null);
        try (AutoCloseable session =
                (AutoCloseable) runtime.getMethod("createSession", byte[].class).invoke(environment, model)) {
            use.of(session);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** From {@code pixels}, {@code f32[n, c, h, w]}, the mean over all places of each pixel's weighted sum, {@code [n, 1]}. */
    static byte[] channelsWeighted(float... weights) {
        ByteBuffer values = ByteBuffer.allocate(weights.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        values.asFloatBuffer().put(weights);
        OnnxModel kernel = new OnnxModel();
        for (long length : new long[] {1, weights.length, 1, 1}) {
            kernel.number(1, length);
        }
        kernel.number(2, FLOAT).text(8, "kernel").bytes(9, values.array());
        OnnxModel ones = new OnnxModel()
                .text(1, "kernel_shape")
                .number(8, 1)
                .number(8, 1)
                .number(20, INTS);
        OnnxModel graph = new OnnxModel()
                .part(1, node("Conv", List.of("pixels", "kernel"), "sums").part(5, ones))
                .part(1, node("GlobalAveragePool", List.of("sums"), "means"))
                .part(1, node("Flatten", List.of("means"), "scores"))
                .text(2, "channels")
                .part(5, kernel)
                .part(11, value("pixels", 4))
                .part(12, value("scores", 2));
        return new OnnxModel()
                .number(1, 8)
                .part(7, graph)
                .part(8, new OnnxModel().text(1, "").number(2, 13))
                .message
                .toByteArray();
    }

    private static OnnxModel node(String operator, List<String> inputs, String output) {
        OnnxModel node = new OnnxModel();
        inputs.forEach(input -> node.text(1, input));
        return node.text(2, output).text(3, output).text(4, operator);
    }

    /** Floats of any lengths along these axes. */
    private static OnnxModel value(String name, int axes) {
        OnnxModel shape = new OnnxModel();
        for (int axis = 0; axis < axes; axis++) {
            shape.part(1, new OnnxModel().text(2, name + axis));
        }
        OnnxModel tensor = new OnnxModel().number(1, FLOAT).part(2, shape);
        return new OnnxModel().text(1, name).part(2, new OnnxModel().part(1, tensor));
    }

    // ---- fields of a message of Protocol Buffers

    private OnnxModel number(int field, long value) {
        variable((long) field << 3);
        variable(value);
        return this;
    }

    private OnnxModel text(int field, String text) {
        return bytes(field, text.getBytes(StandardCharsets.UTF_8));
    }

    private OnnxModel part(int field, OnnxModel part) {
        return bytes(field, part.message.toByteArray());
    }

    private OnnxModel bytes(int field, byte[] bytes) {
        variable((long) field << 3 | 2);
        variable(bytes.length);
        message.writeBytes(bytes);
        return this;
    }

    private void variable(long value) {
        long left = value;
        for (; left > 0x7F; left >>>= 7) {
            message.write((int) (left & 0x7F | 0x80));
        }
        message.write((int) left);
    }
}
