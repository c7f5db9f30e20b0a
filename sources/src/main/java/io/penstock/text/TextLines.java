package io.penstock.text;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.GroupLoader;
import io.penstock.pipeline.SampleId;
import io.penstock.store.Store;
import io.penstock.store.internal.RecordGroup;
import io.penstock.store.internal.StoreFiles;
import io.penstock.store.unpack.Unpacker;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import reactor.core.publisher.Mono;

/**
 * The lines of text files, each a sample: text, or JSON lines, which have one value a line and no line breaks in
 * values.
 *
 * <p>Lines end in LF or CR LF, which belongs to neither; the last may have no end. A byte order mark is left out. Text
 * is UTF-8: a line that is not fails when it is loaded, with the byte's place, and the others do not; {@link #bytes}
 * takes lines as they are. A file that begins as UTF-16 does is refused: its lines cannot be found. Index 0 is the
 * first line of the first file, files lie in the order of their keys.
 *
 * <p>Opening reads every file once to find the lines; files that end in gz or zst are decompressed then, into memory
 * unless an {@link Unpacker} says where. Memory: 8 bytes a line. A load reads its line as the store reads, never on the
 * caller; a stream reads groups of lines, neighbours together.
 *
 * <p>A sample's key is made of its file's place, size and version, and of its offset.
 * @see <a href="https://jsonlines.org/">JSON lines</a>
 */
public final class TextLines implements Dataset<String>, GroupLoader<String>, AutoCloseable {

    private static final int MAX_BYTES = 64 << 20;
    private static final String TEXT = "lines";
    private static final String JSON = "JSON lines";

    private final Lines lines;
    private final int maxBytes;

    private TextLines(Lines lines, int maxBytes) {
        this.lines = lines;
        this.maxBytes = maxBytes;
    }

    private static TextLines text(StoreFiles files, Unpacker unpacker) {
        return new TextLines(Lines.open(TEXT, files, unpacker, false), MAX_BYTES);
    }

    private static TextLines json(StoreFiles files, Unpacker unpacker) {
        return new TextLines(Lines.open(JSON, files, unpacker, true), MAX_BYTES);
    }

    /**
     * The lines of one file, of all files below a folder, or of those in a folder whose names match a pattern.
     * @throws StoreException if a file cannot be found or read, or there are no lines
     */
    public static TextLines open(Path path) {
        return text(StoreFiles.of(TEXT, path), Unpacker.inMemory());
    }

    /** The lines of a store's file, or of those in one of its folders whose names match a pattern. */
    public static TextLines open(Store store, String keyOrPattern) {
        return open(store, keyOrPattern, Unpacker.inMemory());
    }

    /** The same, with compressed files decompressed where this says. */
    public static TextLines open(Store store, String keyOrPattern, Unpacker unpacker) {
        return text(StoreFiles.of(TEXT, store, keyOrPattern), unpacker);
    }

    /**
     * The lines of JSON lines files, not parsed; blank ones are left out.
     * @throws StoreException if a file cannot be found or read, or there are no lines
     */
    public static TextLines openJson(Path path) {
        return json(StoreFiles.of(JSON, path), Unpacker.inMemory());
    }

    /** The same of a store's file, or of those in one of its folders whose names match a pattern. */
    public static TextLines openJson(Store store, String keyOrPattern) {
        return openJson(store, keyOrPattern, Unpacker.inMemory());
    }

    /** The same, with compressed files decompressed where this says. */
    public static TextLines openJson(Store store, String keyOrPattern, Unpacker unpacker) {
        return json(StoreFiles.of(JSON, store, keyOrPattern), unpacker);
    }

    /**
     * Another limit of a line's length; 64 MiB unless set. Longer ones fail when they are loaded.
     * @throws IllegalArgumentException if {@code bytes < 1}
     */
    public TextLines maxLineBytes(int bytes) {
        Arguments.refuse(bytes < 1, "longest line must be at least 1 byte, was %s", bytes);
        return new TextLines(lines, Math.min(bytes, Integer.MAX_VALUE - 16));
    }

    /** The same lines as they are, {@code u8[n]}, whether or not they are UTF-8. */
    public Dataset<Tensor> bytes() {
        return new LineBytes(lines, maxBytes);
    }

    @Override
    public long size() {
        return lines.size();
    }

    @Override
    public Fingerprint fingerprint() {
        return lines.fingerprint();
    }

    @Override
    public Mono<String> get(long index) {
        return piece(0, index).load();
    }

    private RecordGroup.Piece<String> piece(int place, long index) {
        return lines.piece(place, index, maxBytes, bytes -> text(bytes, index));
    }

    @Override
    public int groupSize() {
        return lines.groupSize();
    }

    @Override
    public Mono<Void> getAll(long[] indices, Receiver<String> receiver) {
        return RecordGroup.read(indices, this::piece, this::get, receiver);
    }

    private String text(ByteBuffer bytes, long index) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        try {
            return decoder.decode(bytes).toString();
        } catch (CharacterCodingException e) {
            int at = bytes.position();
            throw new FormatException(
                    "%s is not UTF-8: byte %02X at byte %d of the line, %d of the file; take it as bytes, or convert it"
                            .formatted(lines.id(index).name(), bytes.get(at), at, lines.start(index) + at),
                    e);
        }
    }

    /**
     * The file and the line's number in it, from 1: {@code train.jsonl:line 17}. Its state is the file's folder, size and
     * modification time.
     */
    @Override
    public SampleId id(long index) {
        return lines.id(index);
    }

    /** Closes the open files, unless the store was given. */
    @Override
    public void close() {
        lines.close();
    }

    @Override
    public String toString() {
        return "lines of %d files in %s, %d samples".formatted(lines.files(), lines.location(), size());
    }
}
