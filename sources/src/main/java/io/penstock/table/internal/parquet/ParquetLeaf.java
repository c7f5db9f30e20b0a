package io.penstock.table.internal.parquet;

import io.penstock.table.internal.ColumnType;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;

/**
 * A column as it is stored.
 *
 * @param number      among all columns of the file
 * @param descriptor  its path in the file and its levels
 * @param listLevels  for each list around a value, from which definition level on it has an element
 * @param type        what it is to users
 */
record ParquetLeaf(
        int number, ColumnDescriptor descriptor, List<Integer> listLevels, ParquetElement element, ColumnType type) {}
