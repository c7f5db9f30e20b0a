package io.penstock.table.internal.arrow;

import io.penstock.fault.FormatException;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.StoreFiles;
import io.penstock.store.internal.StoreInput;
import io.penstock.table.TableOptions;
import io.penstock.table.internal.ColumnBuilder;
import io.penstock.table.internal.DecodedColumn;
import io.penstock.table.internal.FileRange;
import io.penstock.table.internal.MemoryBudget;
import io.penstock.table.internal.TableFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An Arrow file or stream: where its record batches lie, and the chosen columns of one at a time. A batch is fetched
 * whole, with the dictionaries that its columns need.
 */
public final class ArrowTableFile extends TableFile {

    private final List<ArrowLeaf> leaves;
    private final ArrowBlocks blocks;

    private ArrowTableFile(
            String name, StoreFile file, List<ArrowLeaf> leaves, ArrowBlocks blocks, TableOptions options) {
        super(name, file, leaves.stream().map(ArrowLeaf::type).toList(), blocks.rows(), options);
        this.leaves = leaves;
        this.blocks = blocks;
    }

    /**
     * Finds the batches of a file, which blocks.
     * @param wanted columns and groups of columns; all if empty
     * @throws FormatException if it is neither file nor stream, or damaged
     */
    public static ArrowTableFile open(StoreFiles files, StoreEntry entry, List<String> wanted, TableOptions options) {
        String name = files.place(entry);
        StoreFile file = new StoreFile(files.store(), entry);
        return named(name, () -> {
            try (StoreInput input = file.input()) {
                ArrowBlocks blocks = ArrowBlocks.of(input, file.size());
                return new ArrowTableFile(name, file, ArrowLeaf.of(blocks.fields(), wanted), blocks, options);
            }
        });
    }

    @Override
    public List<String> names() {
        return blocks.fields().stream().map(field -> field.name).toList();
    }

    @Override
    protected String place(int group) {
        return "record batch " + group;
    }

    /** The blocks that a batch needs, which itself comes last. */
    private List<ArrowBlocks.Block> needed(int group) {
        return blocks.needed(group, dictionaries().stream().map(node -> node.id).collect(Collectors.toSet()));
    }

    @Override
    protected List<FileRange> ranges(int group, MemoryBudget budget) {
        return needed(group).stream()
                .map(block -> {
                    budget.take(block.bytes());
                    return new FileRange(block.offset(), block.bytes());
                })
                .toList();
    }

    private Set<ArrowNode> dictionaries() {
        return leaves.stream()
                .flatMap(leaf -> leaf.path().stream())
                .filter(node -> node.kind == ArrowNode.Kind.DICTIONARY)
                .collect(Collectors.toSet());
    }

    @Override
    protected Decoded decode(int group, List<ByteBuffer> bytes, MemoryBudget budget) {
        List<ArrowBlocks.Block> needed = needed(group);
        int last = needed.size() - 1;
        int rows = blocks.rows().get(group);
        Map<ArrowNode, List<ArrowBatch>> dictionaries = new HashMap<>();
        ArrowBatch batch = at(place(group), () -> {
            for (ArrowNode node : dictionaries()) {
                List<ArrowBatch> parts = new ArrayList<>();
                for (int i = 0; i < last; i++) {
                    if (needed.get(i).dictionary() == node.id) {
                        parts.add(ArrowBatch.of(bytes(bytes.get(i).duplicate()), node.children, budget));
                    }
                }
                dictionaries.put(node, parts);
            }
            ArrowBatch found = ArrowBatch.of(bytes(bytes.get(last)), blocks.fields(), budget);
            if (found.length() != rows) {
                throw new FormatException("%d rows are wanted, it has %d".formatted(rows, found.length()));
            }
            return found;
        });
        List<DecodedColumn> columns = new ArrayList<>();
        for (ArrowLeaf leaf : leaves) {
            columns.add(at(
                    "%s, column %s".formatted(place(group), leaf.type().name()),
                    () -> column(batch, leaf, dictionaries, rows, budget)));
        }
        return new Decoded(columns, null);
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
}
