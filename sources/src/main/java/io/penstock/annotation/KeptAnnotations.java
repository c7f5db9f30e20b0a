package io.penstock.annotation;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.io.Output;
import io.penstock.cache.SampleKey;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.Crc32c;
import io.penstock.internal.Notice;
import io.penstock.store.internal.FolderFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parsed annotations as a file in a local folder, written by Kryo, so that the next start parses nothing. It is named
 * by the annotation files and their state: those of another state are parsed again.
 * <pre>
 *  magic, 8 bytes | CRC-32C of the rest, 4 bytes | the annotations
 * </pre>
 */
final class KeptAnnotations {

    private static final Logger LOG = LoggerFactory.getLogger(KeptAnnotations.class);

    private static final long MAGIC = 0x5053_414e_0000_0002L; // PSAN, version 2
    private static final int HEADER = Long.BYTES + Integer.BYTES;
    private static final String SUFFIX = ".annotations";

    private KeptAnnotations() {}

    private static Kryo kryo() {
        Kryo kryo = new Kryo();
        kryo.setReferences(false);
        List.of(Annotations.class, Annotations.Image.class, Annotations.Image[].class)
                .forEach(kryo::register);
        List.of(String[].class, int[].class, float[].class, byte[].class).forEach(kryo::register);
        return kryo;
    }

    /** The annotations of a state: those that a folder keeps, or those that are parsed now, and then kept. Blocks. */
    static Annotations of(Path folder, SampleKey state, Supplier<Annotations> parsing) {
        Path file = folder.resolve("%016x%016x%s".formatted(state.high(), state.low(), SUFFIX));
        try {
            if (Files.isRegularFile(file)) {
                byte[] all = Files.readAllBytes(file);
                if (!isDamaged(all)) {
                    return kryo().readObject(new Input(all, HEADER, all.length - HEADER), Annotations.class);
                }
                Notice.warn(
                        LOG, "kept annotations {} are damaged or of an earlier version; they are parsed again", file);
            }
        } catch (IOException | RuntimeException e) {
            Notice.warn(LOG, "cannot read the kept annotations {}: {}; they are parsed again", file, e.toString());
        }
        Annotations parsed = parsing.get();
        try {
            Files.createDirectories(folder);
            AtomicFile.write(file, bytes(parsed));
        } catch (IOException | RuntimeException e) {
            Notice.warn(LOG, "cannot keep annotations in {}: {}; the next start parses them", file, e.toString());
        }
        return parsed;
    }

    private static byte[] bytes(Annotations annotations) {
        Output out = new Output(1 << 16, -1);
        out.writeLong(MAGIC);
        out.writeInt(0);
        kryo().writeObject(out, annotations);
        int end = out.position();
        out.setPosition(Long.BYTES);
        out.writeInt(Crc32c.of(out.getBuffer(), HEADER, end - HEADER));
        out.setPosition(end);
        return out.toBytes();
    }

    private static boolean isDamaged(byte[] all) {
        Input in = new Input(all);
        return all.length < HEADER
                || in.readLong() != MAGIC
                || in.readInt() != Crc32c.of(all, HEADER, all.length - HEADER);
    }

    /** The files in a folder that are not as they were written. Blocks. */
    static List<Path> damaged(Path folder) {
        return FolderFiles.damaged(folder, "*" + SUFFIX, file -> isDamaged(Files.readAllBytes(file)));
    }
}
