package io.penstock.internal;

/**
 * Limits on what a few bytes may claim to need, such as a header that announces a picture or a file that decompresses
 * to gigabytes. A fixed limit is checked before memory is allocated, but may itself exceed the heap.
 */
public final class HeapLimit {

    /** The most elements that an array has in every JVM. */
    public static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

    private HeapLimit() {}

    /** This many bytes, or fewer where {@code copies} of them, as exist at once, would not fit into half the heap. */
    public static long of(long bytes, int copies) {
        return of(bytes, copies, Runtime.getRuntime().maxMemory());
    }

    static long of(long bytes, int copies, long heap) {
        return Math.min(bytes, heap / 2 / copies);
    }
}
