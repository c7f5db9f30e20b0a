package io.penstock.table.internal.arrow;

import io.penstock.fault.FormatException;
import io.penstock.internal.Thrown;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.StoreFiles;
import io.penstock.store.internal.StoreInput;
import io.penstock.stream.Execution;
import io.penstock.table.TableOptions;
import io.penstock.table.internal.ColumnBuilder;
import io.penstock.table.internal.ColumnType;
import io.penstock.table.internal.CommonColumns;
import io.penstock.table.internal.DecodedColumn;
import io.penstock.table.internal.MemoryBudget;
import io.penstock.table.internal.TableFile;
import io.penstock.table.internal.TableGroup;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * An Arrow file or stream: where its record batches lie, and the chosen columns of one at a time. A batch is fetched
 * whole, with the dictionaries that its columns need.
 */
public final class ArrowTableFile implements TableFile {

    private final String name;
    private final StoreFile file;
    private final List<ArrowNode> fields;
    private final List<ArrowLeaf> leaves;
    private final ArrowBlocks blocks;
    private final TableOptions options;

    private ArrowTableFile(
            String name,
            StoreFile file,
            List<ArrowNode> fields,
            List<ArrowLeaf> leaves,
            ArrowBlocks blocks,
            TableOptions options) {
        this.name = name;
        this.file = file;
        this.fields = fields;
        this.leaves = leaves;
        this.blocks = blocks;
        this.options = options;
    }

    /**
     * Finds the batches of a file, which blocks.
     * @param wanted columns and groups of columns; all if empty
     * @throws FormatException if it is neither file nor stream, or damaged
     */
    public static ArrowTableFile open(StoreFiles files, StoreEntry entry, List<String> wanted, TableOptions options) {
        String name = files.place(entry);
        try {
            StoreFile file = new StoreFile(files.store(), entry);
            ArrowBlocks blocks;
            try (StoreInput input = file.input()) {
                blocks = ArrowBlocks.of(input, file.size());
            }
            List<ArrowLeaf> leaves = ArrowLeaf.of(blocks.fields(), wanted);
            for (ArrowLeaf leaf : leaves) {
                Double fill = options.fillOf(leaf.type().name());
                String refusal = fill == null ? null : leaf.type().refuses(fill);
                if (refusal != null) {
                    throw new FormatException(refusal);
                }
            }
            return new ArrowTableFile(name, file, blocks.fields(), leaves, blocks, options);
        } catch (FormatException e) {
            throw new FormatException("%s: %s".formatted(name, e.getMessage()), e);
        }
    }

    @Override
    public List<ColumnType> columns() {
        return leaves.stream().map(ArrowLeaf::type).toList();
    }

    @Override
    public List<String> names() {
        return fields.stream().map(field -> field.name).toList();
    }

    @Override
    public List<Integer> groups() {
        return blocks.rows();
    }

    @Override
    public Mono<TableGroup> read(int group, CommonColumns common) {
        return Mono.defer(() -> {
            MemoryBudget budget = new MemoryBudget(options.maxGroupBytes());
            Set<Long> ids = dictionaries().stream().map(node -> node.id).collect(Collectors.toSet());
            List<ArrowBlocks.Block> needed = blocks.needed(group, ids);
            needed.forEach(block -> budget.take(block.bytes()));
            return Flux.fromIterable(needed)
                    .concatMap(block -> file.read(block.offset(), block.bytes()).map(ArrowTableFile::bytes))
                    .collectList()
                    .publishOn(Execution.standard().workers())
                    .map(Thrown.function(bytes -> decode(group, needed, bytes, common, budget)));
        });
    }

    private Set<ArrowNode> dictionaries() {
        return leaves.stream()
                .flatMap(leaf -> leaf.path().stream())
                .filter(node -> node.kind == ArrowNode.Kind.DICTIONARY)
                .collect(Collectors.toSet());
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private TableGroup decode(
            int group, List<ArrowBlocks.Block> needed, List<byte[]> bytes, CommonColumns common, MemoryBudget budget) {
        String column = "";
        try {
            int last = needed.size() - 1;
            Map<ArrowNode, List<ArrowBatch>> dictionaries = new HashMap<>();
            for (ArrowNode node : dictionaries()) {
                List<ArrowBatch> parts = new ArrayList<>();
                for (int i = 0; i < last; i++) {
                    if (needed.get(i).dictionary() == node.id) {
                        parts.add(ArrowBatch.of(bytes.get(i), node.children, budget));
                    }
                }
                dictionaries.put(node, parts);
            }
            ArrowBatch batch = ArrowBatch.of(bytes.get(last), fields, budget);
            int rows = blocks.rows().get(group);
            if (batch.length() != rows) {
                throw new FormatException("%d rows are wanted, it has %d".formatted(rows, batch.length()));
            }
            List<DecodedColumn> columns = new ArrayList<>();
            for (ArrowLeaf leaf : leaves) {
                column = ", column " + leaf.type().name();
                columns.add(column(batch, leaf, dictionaries, rows, budget));
            }
            column = "";
            return new TableGroup(common.of(columns, rows, budget), rows, null, budget);
        } catch (FormatException e) {
            throw new FormatException("%s, record batch %d%s: %s".formatted(name, group, column, e.getMessage()), e);
        }
    }

    private DecodedColumn column(
            ArrowBatch batch,
            ArrowLeaf leaf,
            Map<ArrowNode, List<ArrowBatch>> dictionaries,
            int rows,
            MemoryBudget budget) {
        ArrowValues values = ArrowValues.of(batch, leaf.path(), 0, dictionaries);
        if (values.length() < rows) {
            throw new FormatException("%d rows are wanted, %d are there".formatted(rows, values.length()));
        }
        ColumnBuilder builder =
                new ColumnBuilder(leaf.type(), options.fillOf(leaf.type().name()), budget);
        for (int row = 0; row < rows; row++) {
            builder.row();
            values.add(row, builder, 0);
        }
        return builder.build();
    }

    @Override
    public String toString() {
        return name;
    }
}
