package io.penstock.bench.experiment;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Every measurement as a line of a file, appended trial by trial, so that a run that was stopped goes on where it was. The
 * first lines say what was measured on what; values of anything else are never added to them.
 *
 * <p>Each line has the number of lines of its trial's turn: a turn that was cut short is measured again.
 */
final class Journal {

    private static final String HEAD = "trial,round,lines,figure,series,x,value";
    private static final int COLUMNS = 7;

    private final Path file;
    private final Results results;

    private Journal(Path file, Results results) {
        this.file = file;
        this.results = results;
    }

    /**
     * Opens the file, or begins it.
     * @param conditions that a file from before must have been measured under
     * @throws StoreException if it cannot be read or written, or was measured under others
     */
    static Journal open(Path file, Map<String, String> conditions) {
        try {
            Results results = new Results();
            if (Files.exists(file)) {
                read(file, conditions, results);
            }
            Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent(), "a file is in a folder");
            Files.createDirectories(folder);
            Path fresh = folder.resolve(file.getFileName() + ".new");
            Files.writeString(fresh, head(conditions) + body(results));
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
            return new Journal(file, results);
        } catch (IOException e) {
            throw new StoreException("cannot keep measurements in %s: %s".formatted(file, e), e);
        }
    }

    Results results() {
        return results;
    }

    void add(String trial, int round, List<Measured> found) {
        try {
            Files.writeString(file, lines(trial, round, found), StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new StoreException("cannot keep measurements in %s: %s".formatted(file, e), e);
        }
        results.add(trial, round, found);
    }

    private static String head(Map<String, String> conditions) {
        StringBuilder text = new StringBuilder();
        conditions.forEach((name, value) -> text.append("# ")
                .append(name)
                .append(": ")
                .append(value.replaceAll("\\s+", " "))
                .append('\n'));
        return text.append(HEAD).append('\n').toString();
    }

    private static String body(Results results) {
        StringBuilder text = new StringBuilder();
        turns(results.rows())
                .forEach((turn, rows) -> text.append(lines(
                        rows.get(0).trial(),
                        rows.get(0).round(),
                        rows.stream().map(Results.Row::measured).toList())));
        return text.toString();
    }

    private static String lines(String trial, int round, List<Measured> found) {
        StringBuilder text = new StringBuilder();
        for (Measured one : found) {
            text.append(trial)
                    .append(',')
                    .append(round)
                    .append(',')
                    .append(found.size())
                    .append(',')
                    .append(one.figure())
                    .append(',')
                    .append(one.series())
                    .append(',')
                    .append(one.x())
                    .append(',')
                    .append(one.value())
                    .append('\n');
        }
        return text.toString();
    }

    private static Map<String, List<Results.Row>> turns(List<Results.Row> rows) {
        Map<String, List<Results.Row>> turns = new LinkedHashMap<>();
        rows.forEach(row -> turns.computeIfAbsent(row.trial() + "," + row.round(), turn -> new ArrayList<>())
                .add(row));
        return turns;
    }

    private static void read(Path file, Map<String, String> conditions, Results results) throws IOException {
        String text = Files.readString(file);
        String head = head(conditions);
        if (!text.startsWith(head)) {
            throw new StoreException(
                    "cannot go on in %s: it was measured elsewhere or with other settings; use another --out, or remove the file"
                            .formatted(file));
        }
        // what a killed run left of its last line says nothing
        String body = text.substring(head.length(), Math.max(head.length(), text.lastIndexOf('\n') + 1));
        Map<String, Integer> expected = new LinkedHashMap<>();
        List<Results.Row> rows = new ArrayList<>();
        for (String line : body.lines().toList()) {
            rows.add(row(file, line, expected));
        }
        turns(rows).forEach((turn, found) -> {
            if (Integer.valueOf(found.size()).equals(expected.get(turn))) {
                results.add(
                        found.get(0).trial(),
                        found.get(0).round(),
                        found.stream().map(Results.Row::measured).toList());
            }
        });
    }

    private static Results.Row row(Path file, String line, Map<String, Integer> expected) {
        String[] words = line.split(",", -1);
        try {
            if (words.length != COLUMNS) {
                throw new IllegalArgumentException("%d columns".formatted(words.length));
            }
            int round = Integer.parseInt(words[1]);
            expected.put(words[0] + "," + round, Integer.parseInt(words[2]));
            return new Results.Row(
                    words[0],
                    round,
                    new Measured(words[3], words[4], Double.parseDouble(words[5]), Double.parseDouble(words[6])));
        } catch (IllegalArgumentException e) {
            throw new StoreException(
                    "cannot go on in %s: not a measurement: %s; remove the file".formatted(file, line), e);
        }
    }
}
