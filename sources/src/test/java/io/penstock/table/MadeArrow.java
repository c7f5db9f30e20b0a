package io.penstock.table;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.impl.UnionFixedSizeListWriter;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.compression.AbstractCompressionCodec;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.ArrowWriter;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;

/** Arrow's own library writes files and streams whose rows are known. */
final class MadeArrow {

    /** Row i of every batch has values made of this number. */
    static final int BATCH_ROWS = 5;

    private MadeArrow() {}

    /** A stream of one batch with a column of lists without elements, which take no bytes. */
    static byte[] emptyLists() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (BufferAllocator allocator = new RootAllocator();
                FixedSizeListVector lists = FixedSizeListVector.empty("lists", 0, allocator)) {
            lists.addOrGetVector(FieldType.notNullable(new ArrowType.Int(32, true)));
            lists.setValueCount(BATCH_ROWS);
            try (VectorSchemaRoot root = new VectorSchemaRoot(List.<FieldVector>of(lists));
                    ArrowWriter writer = new ArrowStreamWriter(root, null, Channels.newChannel(out))) {
                for (int i = 0; i < BATCH_ROWS; i++) {
                    lists.setNotNull(i);
                }
                root.setRowCount(BATCH_ROWS);
                writer.start();
                writer.writeBatch();
                writer.end();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** A file, or a stream, of some batches. Row 3 of each has nulls, if there are to be some. */
    static byte[] bytes(int batches, boolean isStream, CodecType codec, boolean nulls) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (BufferAllocator allocator = new RootAllocator();
                VarCharVector words = new VarCharVector("words", allocator)) {
            for (int i = 0; i < 3; i++) {
                words.setSafe(i, text("word " + i));
            }
            words.setValueCount(3);
            Dictionary dictionary = new Dictionary(words, new DictionaryEncoding(7, false, new ArrowType.Int(8, true)));
            DictionaryProvider provider = new DictionaryProvider.MapDictionaryProvider(dictionary);
            List<FieldVector> vectors = vectors(allocator);
            try (VarCharVector plain = new VarCharVector("word", allocator)) {
                fillWords(plain, nulls);
                vectors.add((FieldVector) DictionaryEncoder.encode(plain, dictionary));
            }
            try (VectorSchemaRoot root = new VectorSchemaRoot(vectors);
                    ArrowWriter writer = writer(root, provider, out, isStream, codec)) {
                writer.start();
                for (int batch = 0; batch < batches; batch++) {
                    fill(root, batch * BATCH_ROWS, nulls);
                    writer.writeBatch();
                }
                writer.end();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static ArrowWriter writer(
            VectorSchemaRoot root,
            DictionaryProvider provider,
            ByteArrayOutputStream out,
            boolean isStream,
            CodecType codec) {
        IpcOption option = new IpcOption();
        return isStream
                ? new ArrowStreamWriter(root, provider, Channels.newChannel(out), option, new Codecs(), codec)
                : new ArrowFileWriter(root, provider, Channels.newChannel(out), null, option, new Codecs(), codec);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<FieldVector> vectors(BufferAllocator allocator) {
        StructVector struct = StructVector.empty("struct", allocator);
        struct.addOrGet(
                "x",
                FieldType.nullable(new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE)),
                Float8Vector.class);
        struct.addOrGet("y", FieldType.nullable(new ArrowType.Int(16, false)), UInt2Vector.class);
        ListVector list = ListVector.empty("list", allocator);
        list.addOrGetVector(FieldType.nullable(new ArrowType.Int(64, true)));
        ListVector lists = ListVector.empty("lists", allocator);
        lists.addOrGetVector(FieldType.nullable(ArrowType.List.INSTANCE));
        ((ListVector) lists.getDataVector())
                .addOrGetVector(FieldType.nullable(new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE)));
        FixedSizeListVector pair = FixedSizeListVector.empty("pair", 2, allocator);
        pair.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true)));
        return new ArrayList<>(List.of(
                new BigIntVector("n", allocator),
                new VarCharVector("text", allocator),
                new LargeVarCharVector("large", allocator),
                new ViewVarCharVector("view", allocator),
                new BitVector("flag", allocator),
                new DecimalVector("decimal", allocator, 20, 2),
                new DateDayVector("day", allocator),
                new FixedSizeBinaryVector("id", allocator, 3),
                list,
                lists,
                pair,
                struct));
    }

    private static void fillWords(VarCharVector words, boolean nulls) {
        for (int i = 0; i < BATCH_ROWS; i++) {
            if (!nulls || i != 3) {
                words.setSafe(i, text("word " + i % 3));
            }
        }
        words.setValueCount(BATCH_ROWS);
    }

    private static void fill(VectorSchemaRoot root, int first, boolean nulls) {
        for (FieldVector vector : root.getFieldVectors()) {
            if (!vector.getName().equals("word")) {
                vector.clear();
                vector.allocateNew();
            }
        }
        UnionListWriter list = ((ListVector) root.getVector("list")).getWriter();
        UnionListWriter lists = ((ListVector) root.getVector("lists")).getWriter();
        UnionFixedSizeListWriter pair = ((FixedSizeListVector) root.getVector("pair")).getWriter();
        StructVector struct = (StructVector) root.getVector("struct");
        for (int i = 0; i < BATCH_ROWS; i++) {
            int n = first + i;
            if (nulls && i == 3) {
                continue;
            }
            ((BigIntVector) root.getVector("n")).setSafe(i, n);
            ((VarCharVector) root.getVector("text")).setSafe(i, text("row " + n));
            ((LargeVarCharVector) root.getVector("large")).setSafe(i, text("large " + n));
            ((ViewVarCharVector) root.getVector("view")).setSafe(i, text(i % 2 == 0 ? "v" + n : "a longer view " + n));
            ((BitVector) root.getVector("flag")).setSafe(i, n % 2);
            ((DecimalVector) root.getVector("decimal")).setSafe(i, BigDecimal.valueOf(-n, 2));
            ((DateDayVector) root.getVector("day")).setSafe(i, 18_000 + n);
            ((FixedSizeBinaryVector) root.getVector("id")).setSafe(i, new byte[] {(byte) n, 1, 2});
            list.setPosition(i);
            list.startList();
            for (int j = 0; j < i; j++) {
                list.bigInt().writeBigInt(n + j);
            }
            list.endList();
            lists.setPosition(i);
            lists.startList();
            for (int j = 0; j < 2; j++) {
                lists.list().startList();
                for (int k = 0; k < j + i; k++) {
                    lists.list().float4().writeFloat4(k + 0.5f);
                }
                lists.list().endList();
            }
            lists.endList();
            pair.setPosition(i);
            pair.startList();
            pair.writeInt(n);
            pair.writeInt(-n);
            pair.endList();
            struct.setIndexDefined(i);
            ((Float8Vector) struct.getChild("x")).setSafe(i, n / 4.0);
            ((UInt2Vector) struct.getChild("y")).setSafe(i, 65_000 + n);
        }
        root.getFieldVectors().forEach(vector -> vector.setValueCount(BATCH_ROWS));
        root.setRowCount(BATCH_ROWS);
    }

    /** Arrow's own are in a library that the tests do not have. */
    private static final class Codecs implements CompressionCodec.Factory {
        @Override
        public CompressionCodec createCodec(CodecType type) {
            return type == CodecType.NO_COMPRESSION ? NoCompressionCodec.INSTANCE : new Codec(type);
        }

        @Override
        public CompressionCodec createCodec(CodecType type, int level) {
            return createCodec(type);
        }
    }

    private static final class Codec extends AbstractCompressionCodec {
        private final CodecType type;

        Codec(CodecType type) {
            this.type = type;
        }

        @Override
        public CodecType getCodecType() {
            return type;
        }

        @Override
        protected ArrowBuf doCompress(BufferAllocator allocator, ArrowBuf buffer) {
            byte[] plain = new byte[(int) buffer.writerIndex()];
            buffer.getBytes(0, plain);
            byte[] packed = type == CodecType.ZSTD ? Zstd.compress(plain) : lz4(plain);
            ArrowBuf out = allocator.buffer(8L + packed.length);
            out.setLong(0, plain.length);
            out.setBytes(8, packed);
            out.writerIndex(8L + packed.length);
            return out;
        }

        private static byte[] lz4(byte[] plain) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (LZ4FrameOutputStream lz4 = new LZ4FrameOutputStream(out, LZ4FrameOutputStream.BLOCKSIZE.SIZE_64KB)) {
                lz4.write(plain);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return out.toByteArray();
        }

        @Override
        protected ArrowBuf doDecompress(BufferAllocator allocator, ArrowBuf buffer) {
            throw new UnsupportedOperationException("only written");
        }
    }
}
