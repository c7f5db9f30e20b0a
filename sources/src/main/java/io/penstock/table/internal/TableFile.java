package io.penstock.table.internal;

import java.util.List;
import reactor.core.publisher.Mono;

/** A file of a table, in groups of rows. */
public interface TableFile {

    /** The columns that are read. */
    List<ColumnType> columns();

    /** How many rows each group has. */
    List<Integer> groups();

    /** The columns of a group, decoded on the workers. */
    Mono<TableGroup> read(int group);
}
