package io.penstock.train;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.FileErrors;
import io.penstock.resume.ResumeToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Model, optimizer and place in the data, in one file that is there whole or not at all: after a kill one finds the
 * three as they were after the same batch.
 *
 * <p>The file, big-endian: {@code "PENTRAIN"}, the token as a text, the number of parameters, and for each its name, the
 * number of its values, values and velocities as {@code f32}; at the end the CRC32C of all that. Texts are UTF-8 behind an
 * {@code i32} length.
 *
 * @param token   where the data goes on
 * @param weights of the network, with the optimizer's
 */
record Checkpoint(ResumeToken token, List<Weights> weights) {

    private static final long MAGIC = 0x50454E545241494EL;
    private static final long MOST_BYTES = 1L << 30;
    private static final int LONGEST_TEXT = 1 << 16;

    Checkpoint {
        weights = List.copyOf(weights);
    }

    /** Writes it in place of what is there. Blocks until the disk has it. */
    void save(Path file) {
        Path absolute = file.toAbsolutePath();
        Path unfinished = absolute.resolveSibling(absolute.getFileName() + ".new");
        try {
            try (FileChannel out = FileChannel.open(
                    unfinished,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING)) {
                ByteBuffer bytes = bytes();
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
                out.force(true);
            }
            AtomicFile.rename(unfinished, absolute);
        } catch (IOException e) {
            throw new StoreException("cannot save the checkpoint %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }

    private ByteBuffer bytes() {
        byte[] place = token.toString().getBytes(StandardCharsets.UTF_8);
        long size = 2L * Long.BYTES + 2L * Integer.BYTES + place.length;
        for (Weights each : weights) {
            size += 2L * Integer.BYTES + 2L * Float.BYTES * each.values().length;
            size += each.name().getBytes(StandardCharsets.UTF_8).length;
        }
        ByteBuffer out = ByteBuffer.allocate(Math.toIntExact(size)).putLong(MAGIC);
        text(out, place);
        out.putInt(weights.size());
        for (Weights each : weights) {
            text(out, each.name().getBytes(StandardCharsets.UTF_8));
            out.putInt(each.values().length);
            floats(out, each.values());
            floats(out, each.velocity());
        }
        return out.putLong(checksum(out.array(), out.position())).flip();
    }

    private static void text(ByteBuffer out, byte[] text) {
        out.putInt(text.length).put(text);
    }

    private static void floats(ByteBuffer out, float[] values) {
        out.asFloatBuffer().put(values);
        out.position(out.position() + values.length * Float.BYTES);
    }

    private static long checksum(byte[] bytes, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, 0, length);
        return checksum.getValue();
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
            ByteBuffer in = ByteBuffer.wrap(bytes, 0, bytes.length - Long.BYTES);
            if (in.getLong() != MAGIC) {
                throw damaged(file, "it begins otherwise");
            }
            if (ByteBuffer.wrap(bytes).getLong(in.limit()) != checksum(bytes, in.limit())) {
                throw damaged(file, "its checksum is wrong");
            }
            return read(in, file);
        } catch (IOException e) {
            throw new StoreException("cannot read the checkpoint %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }

    private static Checkpoint read(ByteBuffer in, Path file) {
        String place = text(in, file);
        int count = number(in, in.remaining(), file);
        List<Weights> weights = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = text(in, file);
            int length = number(in, in.remaining() / (2 * Float.BYTES), file);
            weights.add(new Weights(name, floats(in, length), floats(in, length)));
        }
        try {
            return new Checkpoint(ResumeToken.parse(place), weights);
        } catch (IllegalArgumentException e) {
            throw damaged(file, String.valueOf(e.getMessage()));
        }
    }

    private static String text(ByteBuffer in, Path file) {
        byte[] text = new byte[number(in, LONGEST_TEXT, file)];
        in.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    private static int number(ByteBuffer in, int most, Path file) {
        int number = in.remaining() < Integer.BYTES ? -1 : in.getInt();
        if (number < 0 || number > Math.min(most, in.remaining())) {
            throw damaged(file, "it ends too early");
        }
        return number;
    }

    private static float[] floats(ByteBuffer in, int length) {
        if (in.remaining() < (long) length * Float.BYTES) {
            throw new FormatException("a checkpoint ends within a parameter: wanted %d values".formatted(length));
        }
        float[] values = new float[length];
        in.asFloatBuffer().get(values);
        in.position(in.position() + length * Float.BYTES);
        return values;
    }

    private static FormatException damaged(Path file, String how) {
        return new FormatException("%s is no checkpoint of a training run: %s".formatted(file, how));
    }
}
