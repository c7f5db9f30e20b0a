package io.penstock.table.internal;

import java.util.List;
import reactor.core.publisher.Mono;

/** A file of a table, in groups of rows. */
public interface TableFile {

    /** The columns that are read. */
    List<ColumnType> columns();

    /** The names of all columns that it has. */
    List<String> names();

    /** How many rows each group has. */
    List<Integer> groups();

    /** A group as the columns of its table, decoded on the workers. */
    Mono<TableGroup> read(int group, CommonColumns common);
}
