package io.penstock.zarr.internal.codec;

import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.element.Cells;
import io.penstock.zarr.internal.element.ElementType;

/** Rearranges or re-encodes elements. */
public sealed interface ArrayToArray extends ZarrCodec permits Transpose, Elementwise {

    Shape encodedShape(Shape decoded);

    ElementType encodedType(ElementType decoded);

    Cells decode(Cells encoded, Shape decodedShape);
}
