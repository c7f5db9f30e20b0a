package io.penstock.image;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.awt.image.DataBuffer;
import java.awt.image.Raster;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import javax.imageio.IIOException;

/** What the pixels of a PNG or TIFF store, before a palette or a reduction to 8 bits. By the JDK's readers. */
final class StoredNumbers {

    private static final int TIFF_LITTLE = 0x49492A00;
    private static final int TIFF_BIG = 0x4D4D002A;

    private StoredNumbers() {}

    /** @throws FormatException if they are no such image, or one of more than {@code maxPixels} */
    static Tensor decode(ByteBuffer encoded, long maxPixels) {
        int start = encoded.limit() < Integer.BYTES ? 0 : encoded.getInt(0);
        if (start == TIFF_LITTLE || start == TIFF_BIG) {
            return JdkBackend.read("tiff", JdkBackend.copy(encoded), reader -> {
                long pixels = (long) reader.getWidth(0) * reader.getHeight(0);
                if (pixels > maxPixels) {
                    throw new IIOException("it has %d pixels, the limit is %d".formatted(pixels, maxPixels));
                }
                return numbers(reader.read(0).getRaster());
            });
        }
        Header header = Header.read(encoded, maxPixels);
        if (header.format() != Header.Format.PNG) {
            throw new FormatException(
                    "a %s stores no masks or depths; write them as PNG or TIFF".formatted(header.format()));
        }
        ByteBuffer plain = ByteBuffer.allocate(encoded.limit());
        PngHeader.copyPixels(encoded, plain);
        return JdkBackend.read(
                "png", plain.flip(), reader -> numbers(reader.read(0).getRaster()));
    }

    private static Tensor numbers(Raster raster) throws IIOException {
        DType dtype = dtype(raster);
        int bands = raster.getNumBands();
        int width = raster.getWidth();
        int height = raster.getHeight();
        long bytes = (long) width * height * bands * dtype.bytes();
        if (bytes > Integer.MAX_VALUE - 64) {
            throw new IIOException("its numbers take %d bytes, more than one tensor has".formatted(bytes));
        }
        ByteBuffer numbers = ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
        double[] row = new double[width * bands];
        for (int y = 0; y < height; y++) {
            raster.getPixels(0, y, width, 1, row);
            for (double number : row) {
                switch (dtype) {
                    case U8 -> numbers.put((byte) number);
                    case U16, I16 -> numbers.putShort((short) (int) number);
                    case I32 -> numbers.putInt((int) number);
                    default -> numbers.putFloat((float) number);
                }
            }
        }
        Shape shape = bands == 1 ? Shape.of(height, width) : Shape.of(height, width, bands);
        return Tensor.of(dtype, shape, numbers.flip());
    }

    private static DType dtype(Raster raster) throws IIOException {
        int bits = Arrays.stream(raster.getSampleModel().getSampleSize()).max().orElse(0);
        return switch (raster.getTransferType()) {
            case DataBuffer.TYPE_FLOAT -> DType.F32;
            case DataBuffer.TYPE_SHORT -> DType.I16;
            case DataBuffer.TYPE_BYTE, DataBuffer.TYPE_USHORT, DataBuffer.TYPE_INT ->
                bits <= 8 ? DType.U8 : bits <= 16 ? DType.U16 : DType.I32;
            default -> throw new IIOException("its numbers are of %d bits".formatted(bits));
        };
    }
}
