package io.penstock.table;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.FormatException;
import io.penstock.internal.PackedTensors;
import io.penstock.internal.Thrown;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.GroupLoader;
import io.penstock.pipeline.SampleId;
import io.penstock.store.internal.InOrder;
import io.penstock.store.internal.Waiting;
import io.penstock.table.internal.ColumnBuilder;
import io.penstock.table.internal.ColumnType;
import io.penstock.table.internal.DecodedColumn;
import io.penstock.table.internal.ExampleFeatures;
import io.penstock.table.internal.ExampleFeatures.Feature;
import io.penstock.table.internal.ExampleFeatures.Kind;
import io.penstock.table.internal.MemoryBudget;
import io.penstock.table.internal.TableGroup;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Records that are {@code tf.train.Example} or {@code SequenceExample}, a field for each feature.
 *
 * <p>An Example does not say what others have, so opening reads {@value #PROBES} records, spread over all, or
 * {@value #MORE_PROBES} if these have 16 KiB or less on average. A feature that none of them has is left out, unless it
 * is named with its type. A feature with one value at most in each of them is a scalar, or {@code u8[n]} for bytes;
 * otherwise it is a vector. {@link #scanning} reads all records instead.
 * Several values of bytes lie one after another, with their lengths in {@code NAME.lengths}; so do the steps of a
 * feature list. Integers are {@code i64}, floats {@code f32}.
 *
 * <p>A vector that is missing is empty. A scalar that is missing is refused, unless {@link TableOptions#fillNulls} says
 * what it becomes. A record with several values for a scalar, or with values of another kind, is refused.
 */
public final class Examples implements Dataset<Row>, GroupLoader<Row> {

    private static final int PROBES = 256;
    private static final int MORE_PROBES = 4096;
    private static final int SMALL = 16 * 1024;
    private static final int AT_ONCE = 16;

    private final Dataset<Tensor> records;
    private final @Nullable GroupLoader<Tensor> groups;
    private final Dataset<Row> keyed;
    private final TableOptions options;
    private final List<ColumnType> columns;
    private final RowSchema schema;
    private final PackedTensors.Layout layout;

    private Examples(Dataset<Tensor> records, TableOptions options, List<ColumnType> columns) {
        this.records = records;
        this.groups = GroupLoader.of(records);
        this.options = options;
        this.columns = columns;
        List<String> names = new ArrayList<>();
        columns.forEach(column -> names.addAll(column.names()));
        this.schema = new RowSchema(List.copyOf(names));
        this.layout = TableGroup.layout(columns, 0);
        this.keyed = records.map("tf.train.Example 1 %s, %s".formatted(columns, options.nullWords()), this::row);
    }

    /**
     * Reads some records to find the types of the features. Blocks.
     * @param options the features that are chosen, and what missing ones become
     * @throws FormatException if none of these records is an Example, or none has a feature that is chosen
     */
    public static Examples of(Dataset<Tensor> records, TableOptions options) {
        Map<String, ColumnType> known = new TreeMap<>();
        if (probe(records, PROBES, known) <= (long) PROBES * SMALL) {
            probe(records, MORE_PROBES, known);
        }
        return of(records, options, known);
    }

    /**
     * As {@link #of}, but reads all records to find the types: for features that are rare, or seldom have two values.
     * Blocks until all are read.
     * @throws FormatException also if two records have different types for a feature, naming the second
     */
    public static Examples scanning(Dataset<Tensor> records, TableOptions options) {
        Map<String, ColumnType> known = new TreeMap<>();
        probe(records, records.size(), known);
        return of(records, options, known);
    }

    private static Examples of(Dataset<Tensor> records, TableOptions options, Map<String, ColumnType> known) {
        List<ColumnType> columns = new ArrayList<>();
        for (String name : options.columns().isEmpty() ? List.copyOf(known.keySet()) : options.columns()) {
            columns.add(type(name, known, options, records));
        }
        if (columns.isEmpty()) {
            throw new FormatException("no features in %s".formatted(records));
        }
        options.requireNamed(columns.stream().map(ColumnType::name).toList());
        return new Examples(records, options, columns);
    }

    private static ColumnType type(
            String name, Map<String, ColumnType> known, TableOptions options, Dataset<?> records) {
        DType stated = options.types().get(name);
        ColumnType column = known.get(name);
        if (column == null) {
            if (stated == null) {
                throw new FormatException(
                        ("no value of feature \"%s\" in the records of %s that were tried, only of %s; "
                                        + "name its type, as in %s:int")
                                .formatted(name, records, known.keySet(), name));
            }
            column = new ColumnType(name, stated, 0, stated == DType.U8);
        }
        boolean possible = column.dtype() == DType.I64 || column.dtype() == DType.F32 || column.dtype() == DType.U8;
        if (!possible || stated != null && stated != column.dtype()) {
            throw new FormatException("feature \"%s\" cannot be %s: %s"
                    .formatted(name, stated, possible ? "it is " + column.dtype() : "features are i64, f32 or u8"));
        }
        Double fill = options.fillOf(name);
        String wrong = fill == null ? null : column.refuses(fill);
        if (wrong != null) {
            throw new FormatException(wrong);
        }
        return column;
    }

    /**
     * Adds the types that some records have, spread over all, and says how many bytes these took. A damaged one is passed
     * over: it fails when it is read, where a policy may skip it.
     * @throws FormatException of the first damage if no record tells a type
     */
    private static long probe(Dataset<Tensor> records, long max, Map<String, ColumnType> known) {
        long count = Math.min(max, records.size());
        AtomicLong bytes = new AtomicLong();
        AtomicReference<@Nullable FormatException> damage = new AtomicReference<>();
        Waiting.forValue(Flux.fromStream(LongStream.range(0, count).boxed())
                .map(i -> count == records.size() ? i : (long) (i * ((double) records.size() / count)))
                .transform(InOrder.map(
                        AT_ONCE,
                        at -> records.get(at)
                                .map(Thrown.function(record -> {
                                    bytes.addAndGet(record.byteSize());
                                    return new Found(
                                            at, parse(records, at, () -> types(ExampleFeatures.read(record.data()))));
                                }))
                                .onErrorResume(FormatException.class, e -> {
                                    damage.compareAndSet(null, e);
                                    return Mono.just(new Found(at, Map.of()));
                                })))
                .map(Thrown.function(found -> parse(records, found.index, () -> {
                    found.types.forEach((name, type) -> known.merge(name, type, Examples::merged));
                    return true;
                })))
                .then(Mono.just(true)));
        FormatException first = damage.get();
        if (known.isEmpty() && first != null) {
            throw first;
        }
        return bytes.get();
    }

    /** The types of a record's features. */
    private record Found(long index, Map<String, ColumnType> types) {}

    private static ColumnType merged(ColumnType one, ColumnType other) {
        if (one.dtype() != other.dtype()) {
            throw new FormatException(
                    "feature \"%s\" is %s, in records before %s".formatted(one.name(), other.dtype(), one.dtype()));
        }
        return one.lists() >= other.lists() ? one : other;
    }

    private static Map<String, ColumnType> types(Map<String, Feature> example) {
        Map<String, ColumnType> types = new TreeMap<>();
        example.forEach((name, feature) -> {
            if (feature.kind() != Kind.EMPTY) {
                DType dtype = dtype(feature.kind());
                boolean several =
                        feature.sequence() || feature.count(feature.steps().get(0)) > 1;
                int lists = feature.sequence() && dtype != DType.U8 ? 2 : several ? 1 : 0;
                types.put(name, new ColumnType(name, dtype, lists, dtype == DType.U8));
            }
        });
        return types;
    }

    private static DType dtype(Kind kind) {
        return kind == Kind.INTS ? DType.I64 : kind == Kind.FLOATS ? DType.F32 : DType.U8;
    }

    private static <R> R parse(Dataset<?> records, long index, Supplier<R> parse) {
        try {
            return parse.get();
        } catch (FormatException e) {
            throw new FormatException(
                    "%s, record %d: %s".formatted(records.id(index).name(), index, e.getMessage()), e);
        }
    }

    /** How rows are laid out: for batches and caches. */
    public Schema<Row> schema() {
        return schema;
    }

    /** The fields of a row, in order. */
    public List<TableField> fields() {
        return Table.fields(columns);
    }

    @Override
    public long size() {
        return records.size();
    }

    @Override
    public Fingerprint fingerprint() {
        return keyed.fingerprint();
    }

    @Override
    public SampleId id(long index) {
        return keyed.id(index);
    }

    @Override
    public Mono<Row> get(long index) {
        return records.get(index).map(Thrown.function(record -> row(record, index)));
    }

    @Override
    public int groupSize() {
        return groups == null ? 1 : groups.groupSize();
    }

    @Override
    public Mono<Void> getAll(long[] indices, Receiver<Row> receiver) {
        return Objects.requireNonNull(groups, "without groups, none is asked for")
                .getAll(indices, new Rows(indices, receiver));
    }

    /** Parses the records of a group. */
    private final class Rows implements Receiver<Tensor> {

        private final long[] indices;
        private final Receiver<Row> rows;

        Rows(long[] indices, Receiver<Row> rows) {
            this.indices = indices;
            this.rows = rows;
        }

        @Override
        public boolean wants(int place) {
            return rows.wants(place);
        }

        @Override
        public void value(int place, Tensor record) {
            Row row;
            try {
                row = row(record, indices[place]);
            } catch (Throwable e) { // of this record alone
                rows.failure(place, e);
                return;
            }
            rows.value(place, row);
        }

        @Override
        public void failure(int place, Throwable cause) {
            rows.failure(place, cause);
        }
    }

    private Row row(Tensor record, long index) {
        return parse(records, index, () -> row(record));
    }

    private Row row(Tensor record) {
        Map<String, Feature> features = ExampleFeatures.read(record.data());
        MemoryBudget budget = new MemoryBudget(options.maxGroupBytes());
        List<DecodedColumn> decoded = new ArrayList<>();
        for (ColumnType column : columns) {
            ColumnBuilder builder = new ColumnBuilder(column, options.fillOf(column.name()), budget);
            add(column, features.get(column.name()), builder);
            decoded.add(builder.build());
        }
        return new Row(schema.names(), new TableGroup(decoded, 1, null, budget).row(0, layout, List.of()));
    }

    private void add(ColumnType column, @Nullable Feature feature, ColumnBuilder builder) {
        builder.row();
        if (column.lists() > 0) {
            builder.list(0);
        }
        if (feature == null || feature.kind() == Kind.EMPTY) {
            missing(column, builder);
            return;
        }
        if (dtype(feature.kind()) != column.dtype()) {
            throw new FormatException("feature \"%s\" is %s, in other records %s"
                    .formatted(column.name(), dtype(feature.kind()), column.dtype()));
        }
        if (feature.sequence() && column.lists() == 0 || !feature.sequence() && column.lists() == 2) {
            throw new FormatException("feature \"%s\" is a feature list in some records".formatted(column.name()));
        }
        for (ByteBuffer step : feature.steps()) {
            int count = column.lists() == 0 || feature.sequence() ? feature.count(step) : 0;
            if (column.lists() == 0 && count == 0) {
                missing(column, builder);
                return;
            }
            if (column.lists() == 0 && count > 1) {
                throw new FormatException(
                        "feature \"%s\" has %d values, one in other records".formatted(column.name(), count));
            }
            if (feature.sequence() && column.bytes() && count != 1) {
                throw new FormatException(
                        "feature list \"%s\" has a step with %d values of bytes, only one is supported"
                                .formatted(column.name(), count));
            }
            if (column.lists() == 2) {
                builder.element(0);
                builder.list(1);
            }
            ExampleFeatures.values(feature.kind(), step, new Values(column, builder));
        }
    }

    private void missing(ColumnType column, ColumnBuilder builder) {
        if (column.lists() > 0) {
            return;
        }
        if (options.fillOf(column.name()) == null) {
            throw new FormatException("feature \"%s\" is missing; say what it becomes, as in %s=0"
                    .formatted(column.name(), column.name()));
        }
        builder.missing(true);
    }

    /** Adds values to a column. */
    private record Values(ColumnType column, ColumnBuilder builder) implements ExampleFeatures.Sink {

        @Override
        public void number(long bits) {
            element();
            builder.add(bits);
        }

        @Override
        public void bytes(ByteBuffer value) {
            element();
            byte[] copy = new byte[value.remaining()];
            value.get(copy);
            builder.add(copy, 0, copy.length);
        }

        private void element() {
            if (column.lists() > 0) {
                builder.element(column.lists() - 1);
            }
        }
    }

    @Override
    public String toString() {
        return "examples of " + records;
    }
}
