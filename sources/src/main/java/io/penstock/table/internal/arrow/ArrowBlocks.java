package io.penstock.table.internal.arrow;

import io.penstock.fault.FormatException;
import io.penstock.store.internal.StoreInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a file or a stream, and where its messages lie.
 *
 * @param fields       of the schema
 * @param dictionaries batches of dictionaries
 * @param batches      record batches
 * @param rows         of each record batch
 * @param isFile       whether dictionaries hold for all batches, wherever they lie
 */
record ArrowBlocks(
        List<ArrowNode> fields, List<Block> dictionaries, List<Block> batches, List<Integer> rows, boolean isFile) {

    private static final String MAGIC = "ARROW1";
    private static final int TRAILER = Integer.BYTES + MAGIC.length();
    private static final int HEAD = 8;
    private static final int MAX_FOOTER = 256 << 20;

    /**
     * A message with its body.
     *
     * @param dictionary the id of the dictionary, for one
     * @param isDelta    whether its values come after those before, instead of replacing them
     */
    record Block(long offset, int bytes, long dictionary, boolean isDelta) {}

    /** The blocks that a record batch needs, which itself comes last. */
    List<Block> needed(int batch, Set<Long> ids) {
        Block last = batches.get(batch);
        List<Block> needed = new ArrayList<>();
        for (Block each : dictionaries) {
            if ((isFile || each.offset < last.offset) && ids.contains(each.dictionary)) {
                if (!each.isDelta) {
                    needed.removeIf(earlier -> earlier.dictionary == each.dictionary);
                }
                needed.add(each);
            }
        }
        needed.add(last);
        return needed;
    }

    /** Reads what says where the messages are. */
    static ArrowBlocks of(StoreInput input, long size) {
        String start = new String(bytes(input, 0, (int) Math.min(size, HEAD)), StandardCharsets.ISO_8859_1);
        if (start.startsWith("FEA1")) {
            throw new FormatException(
                    "it is Feather version 1, which is not supported; write version 2, which is Arrow");
        }
        return ArrowMessage.read(() -> start.startsWith(MAGIC) ? file(input, size) : stream(input, size));
    }

    private static byte[] bytes(StoreInput input, long at, int count) {
        try {
            input.seek(at);
            byte[] bytes = input.readNBytes(count);
            if (bytes.length < count) {
                throw new FormatException("it is cut off: %d bytes are missing at byte %d"
                        .formatted(count - bytes.length, at + bytes.length));
            }
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a store's input has errors of its own
        }
    }

    private static ArrowBlocks file(StoreInput input, long size) {
        if (size < HEAD + TRAILER) {
            throw new FormatException("it is cut off: an Arrow file has more than %d bytes".formatted(size));
        }
        byte[] trailer = bytes(input, size - TRAILER, TRAILER);
        int length = ByteBuffer.wrap(trailer).order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (!new String(trailer, Integer.BYTES, MAGIC.length(), StandardCharsets.ISO_8859_1).equals(MAGIC)) {
            throw new FormatException("it is cut off: it does not end in " + MAGIC);
        }
        if (length < 0 || length > Math.min(MAX_FOOTER, size - TRAILER)) {
            throw new FormatException("its footer claims %d bytes, the file has %d".formatted(length, size));
        }
        byte[] bytes = bytes(input, size - TRAILER - length, length);
        Footer footer = Footer.getRootAsFooter(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        List<ArrowNode> fields = fields(footer.schema());
        List<Block> dictionaries = new ArrayList<>();
        List<Block> batches = new ArrayList<>();
        List<Integer> rows = new ArrayList<>();
        if (footer.dictionariesLength() + (long) footer.recordBatchesLength() > length) {
            throw new FormatException("its footer claims more batches than it has bytes");
        }
        for (int i = 0; i < footer.dictionariesLength(); i++) {
            var block = footer.dictionaries(i);
            long offset = within(block.offset(), block.metaDataLength(), block.bodyLength(), size);
            ArrowMessage message = message(input, offset, size);
            if (!message.isDictionary()) {
                throw new FormatException("the message at byte %d is no dictionary".formatted(offset));
            }
            dictionaries.add(block(message, offset, size));
        }
        for (int i = 0; i < footer.recordBatchesLength(); i++) {
            var block = footer.recordBatches(i);
            long offset = within(block.offset(), block.metaDataLength(), block.bodyLength(), size);
            ArrowMessage message = message(input, offset, size);
            if (!message.isBatch()) {
                throw new FormatException("the message at byte %d is no record batch".formatted(offset));
            }
            batches.add(block(message, offset, size));
            rows.add(rows(message));
        }
        return new ArrowBlocks(fields, dictionaries, batches, rows, true);
    }

    private static long within(long offset, int metadata, long body, long size) {
        if (offset < HEAD || metadata < 0 || body < 0 || body > size || offset > size - metadata - body) {
            throw new FormatException("a batch of %d bytes at byte %d is not in the file, which has %d"
                    .formatted(metadata + body, offset, size));
        }
        return offset;
    }

    private static ArrowBlocks stream(StoreInput input, long size) {
        List<ArrowNode> fields = null;
        List<Block> dictionaries = new ArrayList<>();
        List<Block> batches = new ArrayList<>();
        List<Integer> rows = new ArrayList<>();
        for (long at = 0; at < size; ) {
            if (size - at < HEAD || ArrowMessage.lengths(bytes(input, at, HEAD))[1] == 0) {
                break;
            }
            ArrowMessage message = message(input, at, size);
            if (message.isSchema()) {
                if (fields != null) {
                    throw new FormatException("it has another schema at byte %d, which is not supported".formatted(at));
                }
                fields = fields((Schema) message.message().header(new Schema()));
            } else if (fields == null) {
                throw new FormatException("it is neither an Arrow file nor a stream: it does not begin with a schema");
            } else if (message.isDictionary()) {
                dictionaries.add(block(message, at, size));
            } else if (message.isBatch()) {
                batches.add(block(message, at, size));
                rows.add(rows(message));
            }
            at += block(message, at, size).bytes;
        }
        if (fields == null) {
            throw new FormatException("it is neither an Arrow file nor a stream");
        }
        return new ArrowBlocks(fields, dictionaries, batches, rows, false);
    }

    private static List<ArrowNode> fields(@Nullable Schema schema) {
        if (schema == null) {
            throw new FormatException("it has no schema");
        }
        return ArrowNode.of(schema);
    }

    private static ArrowMessage message(StoreInput input, long at, long size) {
        int[] lengths = ArrowMessage.lengths(bytes(input, at, HEAD));
        if (lengths[1] > size - at - lengths[0]) {
            throw new FormatException(
                    "a message at byte %d claims %d bytes, the file has %d".formatted(at, lengths[1], size));
        }
        return ArrowMessage.of(lengths[0], ByteBuffer.wrap(bytes(input, at + lengths[0], lengths[1])));
    }

    private static Block block(ArrowMessage message, long at, long size) {
        long metadata = (long) message.prefix() + message.bytes();
        long body = message.bodyBytes();
        if (body < 0 || body > size - at - metadata) {
            throw new FormatException(
                    "the message at byte %d is cut off: its body claims %d bytes".formatted(at, body));
        }
        if (metadata + body > Integer.MAX_VALUE - 8) {
            throw new FormatException("the message at byte %d has 2 GiB or more; write smaller batches".formatted(at));
        }
        boolean dictionary = message.isDictionary();
        return new Block(
                at,
                (int) (metadata + body),
                dictionary ? message.dictionary().id() : 0,
                dictionary && message.dictionary().isDelta());
    }

    private static int rows(ArrowMessage message) {
        long rows = message.batch().length();
        if (rows < 0 || rows > Integer.MAX_VALUE - 8) {
            throw new FormatException("a record batch claims %d rows".formatted(rows));
        }
        return (int) rows;
    }
}
