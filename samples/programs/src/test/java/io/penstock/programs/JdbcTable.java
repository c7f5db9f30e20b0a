package io.penstock.programs;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.SampleId;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The rows of a table as they are when it is opened, in the order of their ids. */
public record JdbcTable(String url, List<Long> ids, List<Long> versions) implements Dataset<JdbcTable.Flower> {

    public record Flower(float length, float width, int kind) {}

    public static JdbcTable open(String url) throws SQLException {
        List<Long> ids = new ArrayList<>();
        List<Long> versions = new ArrayList<>();
        try (Connection database = DriverManager.getConnection(url);
                PreparedStatement query = database.prepareStatement("SELECT id, version FROM flowers ORDER BY id");
                ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
                versions.add(rows.getLong(2));
            }
        }
        return new JdbcTable(url, List.copyOf(ids), List.copyOf(versions));
    }

    @Override
    public long size() {
        return ids.size();
    }

    @Override
    public Fingerprint fingerprint() {
        return Fingerprint.of("flowers", url, ids.toString(), versions.toString());
    }

    @Override
    public SampleId id(long index) {
        String id = ids.get((int) index).toString();
        String version = versions.get((int) index).toString();
        return SampleId.of(
                SampleKey.of("flowers", url, id, version), () -> "flower " + id, () -> List.of(url, version));
    }

    @Override
    public Mono<Flower> get(long index) {
        return Mono.fromCallable(() -> load(ids.get((int) index), versions.get((int) index)))
                .subscribeOn(Schedulers.boundedElastic());
    }

    private Flower load(long id, long version) throws SQLException {
        try (Connection database = DriverManager.getConnection(url); // a pool, for a database that is far away
                PreparedStatement query = database.prepareStatement(
                        "SELECT length, width, kind FROM flowers WHERE id = ? AND version = ?")) {
            query.setLong(1, id);
            query.setLong(2, version);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalStateException("flower %d has changed; open the table again".formatted(id));
                }
                return new Flower(row.getFloat(1), row.getFloat(2), row.getInt(3));
            }
        }
    }
}
