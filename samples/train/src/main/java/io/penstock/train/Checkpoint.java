package io.penstock.train;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.Crc32c;
import io.penstock.internal.FileErrors;
import io.penstock.resume.ResumeToken;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Model, optimizer and place in the data, in one file that is there whole or not at all: after a kill one finds the
 * three as they were after the same batch.
 *
 * <p>The file, big-endian: {@code "PENTRAIN"}, the token as a text, the number of parameters, and for each its name,
 * the number of its values, values and velocities as {@code f32}; at the end the CRC32C of all that. Texts are UTF-8
 * behind an {@code i32} length.
 *
 * @param token   where the data goes on
 * @param weights of the network, with the optimizer's
 */
record Checkpoint(ResumeToken token, List<Weights> weights) {

    private static final long MAGIC = 0x50454E545241494EL;
    private static final long MOST_BYTES = 1L << 30;

    Checkpoint {
        weights = List.copyOf(weights);
    }

    /** Writes it in place of what is there. Blocks until the disk has it. */
    void save(Path file) {
        Path absolute = file.toAbsolutePath();
        Path unfinished = absolute.resolveSibling(absolute.getFileName() + ".new");
        try {
            try (FileOutputStream out = new FileOutputStream(unfinished.toFile())) {
                out.write(bytes());
                out.getFD().sync();
            }
            AtomicFile.rename(unfinished, absolute);
        } catch (IOException e) {
            throw new StoreException("cannot save the checkpoint %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }

    private byte[] bytes() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeLong(MAGIC);
        text(out, token.toString());
        out.writeInt(weights.size());
        for (Weights each : weights) {
            text(out, each.name());
            out.writeInt(each.values().length);
            floats(out, each.values());
            floats(out, each.velocity());
        }
        out.writeLong(Integer.toUnsignedLong(Crc32c.of(bytes.toByteArray())));
        return bytes.toByteArray();
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static void floats(DataOutputStream out, float[] values) throws IOException {
        for (float value : values) {
            out.writeFloat(value);
        }
    }

    /**
     * Reads what {@link #save} wrote.
     * @throws StoreException if the file cannot be read
     * @throws FormatException if it is no checkpoint, or is damaged
     */
    static Checkpoint load(Path file) {
        try {
            long size = Files.size(file);
            if (size < 2 * Long.BYTES || size > MOST_BYTES) {
                throw damaged(file, "it has %d bytes".formatted(size));
            }
            byte[] bytes = Files.readAllBytes(file);
            int end = bytes.length - Long.BYTES;
            if (ByteBuffer.wrap(bytes).getLong() != MAGIC) {
                throw damaged(file, "it begins otherwise");
            }
            if (ByteBuffer.wrap(bytes).getLong(end) != Integer.toUnsignedLong(Crc32c.of(bytes, 0, end))) {
                throw damaged(file, "its checksum is wrong");
            }
            return read(new DataInputStream(new ByteArrayInputStream(bytes, Long.BYTES, end - Long.BYTES)));
        } catch (EOFException e) {
            throw damaged(file, "it ends too early");
        } catch (IllegalArgumentException e) {
            throw damaged(file, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new StoreException("cannot read the checkpoint %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }

    private static Checkpoint read(DataInputStream in) throws IOException {
        ResumeToken token = ResumeToken.parse(text(in));
        int count = number(in, 1);
        List<Weights> weights = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = text(in);
            int length = number(in, 2 * Float.BYTES);
            weights.add(new Weights(name, floats(in, length), floats(in, length)));
        }
        return new Checkpoint(token, weights);
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes(number(in, 1)), StandardCharsets.UTF_8);
    }

    /** The number of things that follow, each of this many bytes. */
    private static int number(DataInputStream in, int bytesEach) throws IOException {
        int number = in.readInt();
        if (number < 0 || number > in.available() / bytesEach) {
            throw new EOFException();
        }
        return number;
    }

    private static float[] floats(DataInputStream in, int length) throws IOException {
        float[] values = new float[length];
        for (int i = 0; i < length; i++) {
            values[i] = in.readFloat();
        }
        return values;
    }

    private static FormatException damaged(Path file, String how) {
        return new FormatException("%s is no checkpoint of a training run: %s".formatted(file, how));
    }
}
