package io.penstock.write;

import io.penstock.output.UnfinishedOutput;
import io.penstock.stream.Sample;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/** One tar archive. It is never closed: the stream over the file holds nothing but memory. */
final class TarOutput<T> extends SampleOutput<T> {

    private static final int BUFFER = 1 << 18;
    private static final int MODE = 0644;
    private static final Pattern KEY = Pattern.compile("(?!__)[^/\\x00]+(/[^/\\x00]+)*");
    private static final Pattern EXTENSION = Pattern.compile("[a-z0-9_-]+(\\.[a-z0-9_-]+)*");

    private final Function<? super T, Map<String, Tensor>> parts;
    private final Function<? super Sample<T>, String> keys;
    private final BufferedOutputStream buffered;
    private final TarArchiveOutputStream tar;
    private final Set<String> seen = new HashSet<>();

    TarOutput(
            UnfinishedOutput file,
            Function<? super T, Map<String, Tensor>> parts,
            Function<? super Sample<T>, String> keys) {
        super(file);
        this.parts = parts;
        this.keys = keys;
        this.buffered = new BufferedOutputStream(new AppendingStream(file), BUFFER);
        this.tar = new TarArchiveOutputStream(buffered, StandardCharsets.UTF_8.name());
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        tar.setAddPaxHeadersForNonAsciiNames(true);
    }

    @Override
    void append(Sample<T> sample) throws IOException {
        String key = keys.apply(sample);
        requireKey(key, sample);
        for (Map.Entry<String, Tensor> part : parts.apply(sample.value()).entrySet()) {
            requirePart(part.getKey(), part.getValue(), key);
            TarArchiveEntry entry = new TarArchiveEntry(key + "." + part.getKey());
            entry.setSize(part.getValue().byteSize());
            entry.setModTime(0L);
            entry.setMode(MODE);
            tar.putArchiveEntry(entry);
            tar.write(part.getValue().toByteArray());
            tar.closeArchiveEntry();
        }
    }

    private void requireKey(String key, Sample<T> sample) {
        String last = key.substring(key.lastIndexOf('/') + 1);
        boolean escapes = ("/" + key + "/").contains("/../") || ("/" + key + "/").contains("/./");
        if (!KEY.matcher(key).matches() || last.indexOf('.') >= 0 || escapes) {
            throw new IllegalArgumentException(
                    "the key of a tar sample must be a relative path without a dot in its last part, sample %d has \"%s\""
                            .formatted(sample.draw().index(), key));
        }
        if (!seen.add(key)) {
            throw new IllegalArgumentException(
                    "two samples of %s have the key \"%s\"; give each its own".formatted(file.location(), key));
        }
    }

    private static void requirePart(String extension, Tensor bytes, String key) {
        if (!EXTENSION.matcher(extension).matches()) {
            throw new IllegalArgumentException(
                    "a part's extension must be of a-z, 0-9, _, - and dots between, sample \"%s\" has \"%s\""
                            .formatted(key, extension));
        }
        if (bytes.dtype() != DType.U8 || bytes.shape().rank() != 1) {
            throw new IllegalArgumentException("the bytes of part \"%s\" of sample \"%s\" must be u8[n], were %s"
                    .formatted(extension, key, bytes.type()));
        }
    }

    @Override
    void end(long samples) throws IOException {
        tar.finish();
        buffered.flush(); // the archive's own flush stops at its blocks
    }
}
