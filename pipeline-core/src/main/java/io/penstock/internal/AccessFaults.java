package io.penstock.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Makes the error of an access to a mapped file appear where the access was. A file that is cut shorter under its
 * mapping, or cannot be read from the disk, raises {@code InternalError}; compiled code goes on with what
 * was in the register, and the error appears at the thread's next call into the virtual machine, in code that knows
 * nothing of the file. So code that reads mapped memory calls {@link #raise} at its end, before anything that it has
 * read is believed.
 *
 * <p>It does not help where the machine code is not compiled from Java: {@code CRC32C} over a mapped buffer ends the
 * virtual machine (SIGBUS), on JDK 17 and 25 alike. Such bytes are copied to the heap first.
 * <p>Threads: any number of them.
 * @see <a href="https://bugs.openjdk.org/browse/JDK-4454115">JDK-4454115</a>
 */
public final class AccessFaults {

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private int none;

    @SuppressWarnings("UnusedVariable") // written only, or the compiler would leave the call out
    private byte[][] made = {};

    /**
     * Costs about 0.1 µs: an array of two dimensions whose lengths are not constant is always made by a call into the
     * virtual machine, which raises what is due. Most other calls do not.
     * @throws InternalError if an access of this thread has failed before
     */
    public void raise() {
        made = new byte[none][none];
    }

    /**
     * The bytes from position 0 to the limit of a mapped buffer, on the heap, for reading. What is lent must be such a
     * copy: a fault in code that reads a view later would appear anywhere. Call {@link #raise} before it is believed. Null
     * stays null.
     */
    public static @Nullable ByteBuffer copy(@Nullable ByteBuffer mapped) {
        if (mapped == null) {
            return null;
        }
        byte[] bytes = new byte[mapped.limit()];
        mapped.get(0, bytes);
        return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    /**
     * Compares and sets a mapped number. Looks at it first: where Java is not compiled, the virtual machine's own code
     * compares and sets, and a page that is gone would end the process there.
     * @throws InternalError if an access of this thread has failed, this one or an earlier one
     */
    public boolean compareAndSet(ByteBuffer mapped, int at, long expected, long next) {
        boolean same = (long) LONG.getVolatile(mapped, at) == expected;
        raise();
        return same && LONG.compareAndSet(mapped, at, expected, next);
    }
}
