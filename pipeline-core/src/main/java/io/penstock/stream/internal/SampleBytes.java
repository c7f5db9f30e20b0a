package io.penstock.stream.internal;

import io.penstock.stream.ReadAhead;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.ToLongFunction;

/** The bytes of samples whose type is known: tensors, bytes, what a {@link Schema} describes, and lists of these. */
final class SampleBytes {

    private static final ClassValue<ToLongFunction<Object>> BY_CLASS = new ClassValue<>() {
        @Override
        protected ToLongFunction<Object> computeValue(Class<?> type) {
            try {
                return described(type);
            } catch (RuntimeException e) { // a type that no schema describes
                return value -> 0;
            }
        }
    };

    private SampleBytes() {}

    /** 0 where the type says nothing of it. */
    static long of(Object value) {
        if (value instanceof byte[] bytes) {
            return bytes.length;
        }
        if (value instanceof ByteBuffer buffer) {
            return buffer.remaining();
        }
        if (value instanceof Tensor tensor) {
            return tensor.byteSize();
        }
        if (value instanceof List<?> list) {
            return list.stream().mapToLong(SampleBytes::of).sum();
        }
        return BY_CLASS.get(value.getClass()).applyAsLong(value);
    }

    @SuppressWarnings("unchecked") // it is asked for values of the type alone
    private static <T> ToLongFunction<Object> described(Class<T> type) {
        return (ToLongFunction<Object>)
                (ToLongFunction<?>) ReadAhead.ofBytes(1, Schema.of(type)).size();
    }
}
