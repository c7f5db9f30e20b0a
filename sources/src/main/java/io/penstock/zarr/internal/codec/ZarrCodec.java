package io.penstock.zarr.internal.codec;

/** One step between an array's elements and stored bytes; the three kinds can only be chained in their order. */
public sealed interface ZarrCodec permits ArrayToArray, ArrayToBytes, BytesToBytes {

    /** The name in metadata and messages. */
    String name();
}
