package io.penstock.programs;

import io.penstock.memory.ListedDataset;
import io.penstock.pipeline.Dataset;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The rows of a table as they are when it is opened, in the order of their ids. */
public record JdbcTable(String url) {

    public record Flower(float length, float width, int kind) {}

    private record Row(long id, long version) {}

    public Dataset<Flower> open() throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (Connection database = DriverManager.getConnection(url);
                PreparedStatement query = database.prepareStatement("SELECT id, version FROM flowers ORDER BY id");
                ResultSet found = query.executeQuery()) {
            while (found.next()) {
                rows.add(new Row(found.getLong(1), found.getLong(2)));
            }
        }
        return ListedDataset.of("flowers of " + url, rows, this::load);
    }

    private Flower load(Row row) throws SQLException {
        try (Connection database = DriverManager.getConnection(url); // a pool, for a database that is far away
                PreparedStatement query = database.prepareStatement(
                        "SELECT length, width, kind FROM flowers WHERE id = ? AND version = ?")) {
            query.setLong(1, row.id);
            query.setLong(2, row.version);
            ResultSet found = query.executeQuery();
            if (!found.next()) {
                throw new IllegalStateException("flower %d has changed; open the table again".formatted(row.id));
            }
            return new Flower(found.getFloat(1), found.getFloat(2), found.getInt(3));
        }
    }
}
