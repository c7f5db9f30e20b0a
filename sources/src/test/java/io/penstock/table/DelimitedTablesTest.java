package io.penstock.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.store.MemoryStore;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DelimitedTablesTest {

    private static final TableOptions STANDARD = TableOptions.standard();
    private static final String PEOPLE = "name,age,height\nAda,36,1.65\nGrace,85,1.7\nAlan,41,1.78\n";

    @TempDir
    Path folder;

    private static Table csv(String text, TableOptions options) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Table.open(MemoryStore.of("memory", Map.of("a.csv", bytes)), "a.csv", TableFormat.csv(), options);
    }

    private static Table json(String text, TableOptions options) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Table.open(
                MemoryStore.of("memory", Map.of("a.jsonl", bytes)), "a.jsonl", TableFormat.jsonLines(), options);
    }

    private static Row row(Table table, long index) {
        return Objects.requireNonNull(table.get(index).block());
    }

    private static String text(Tensor tensor) {
        return new String(tensor.toByteArray(), StandardCharsets.UTF_8);
    }

    private static List<String> texts(Table table, String column) {
        return Stream.iterate(0L, i -> i < table.size(), i -> i + 1)
                .map(i -> text(row(table, i).tensor(column)))
                .toList();
    }

    @Test
    void csv_noTypes_isText() {
        Table table = csv(PEOPLE, STANDARD);

        assertThat(table.size()).isEqualTo(3);
        assertThat(table.schema().names()).containsExactly("name", "age", "height");
        assertThat(table.fields())
                .extracting(TableField::toString)
                .containsExactly("name u8[n]", "age u8[n]", "height u8[n]");
        assertThat(texts(table, "age")).containsExactly("36", "85", "41");
        assertThat(table.name(2)).isEqualTo("a.csv:row 2");
    }

    @Test
    void csv_rows_areRecordsByTheNamesOfColumns() {
        record Person(double height, String name) {}
        Schema<Person> people = Schema.of(Person.class);
        Table typed = csv(PEOPLE, STANDARD.type("height", DType.F32));

        assertThat(row(typed, 1).as(people)).isEqualTo(new Person(1.7f, "Grace"));
        assertThatThrownBy(() -> row(csv(PEOPLE, STANDARD), 1).as(people))
                .hasMessage("Person.height: a component of type double must be one number, was u8[3]");
        assertThatThrownBy(() -> row(csv("name\nAda\n", STANDARD), 0).as(people))
                .hasMessage("a row has no field \"height\", only [name]");
    }

    @Test
    void csv_statedTypes_areNumbersInTheOrderThatIsStated() {
        TableOptions options = STANDARD.columns("height", "age", "small")
                .type("height", DType.F32)
                .type("age", DType.I64)
                .type("small", DType.I8);

        Table table = csv("age,small,height\r\n8.0,-128, 1.5 \r\n9223372036854775807,127,-inf\r\n1e3,0,NaN", options);

        assertThat(row(table, 0).values())
                .containsExactly(
                        Tensor.scalar(1.5f),
                        Tensor.scalar(8L),
                        Tensor.of(DType.I8, Shape.SCALAR, ByteBuffer.wrap(new byte[] {-128})));
        assertThat(row(table, 1).tensor("age").longAt(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(row(table, 1).tensor("height").doubleAt(0)).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(row(table, 2).tensor("age").longAt(0)).isEqualTo(1000);
        assertThat(row(table, 2).tensor("height").doubleAt(0)).isNaN();
    }

    @Test
    void csv_quotes_keepSeparatorsLineBreaksAndQuotes() {
        Table table = csv("a,\"b,\"\n\"one, \"\"1\"\"\",\"two\r\nlines\"\n\"\",plain \"x\"\n\n\"last\",\"\"", STANDARD);

        assertThat(table.schema().names()).containsExactly("a", "b,");
        assertThat(texts(table, "a")).containsExactly("one, \"1\"", "", "last");
        assertThat(texts(table, "b,")).containsExactly("two\r\nlines", "plain \"x\"", "");
    }

    @Test
    void csv_byteOrderMarkAndOtherAlphabets_areKeptApart() {
        Table table = csv("\uFEFFname,x\nЖеня,1\n蔵,2\n\uFFFD,3\n", STANDARD);

        assertThat(table.schema().names()).containsExactly("name", "x");
        assertThat(texts(table, "name")).containsExactly("Женя", "蔵", "\uFFFD");
    }

    @Test
    void csv_tabs_areSeparatorsWhereTheNameSaysSo() throws IOException {
        Path file = Files.writeString(folder.resolve("a.tsv"), "a\tb\n1,5\t2\n");

        try (Table table = Table.open(file, TableFormat.csv(), STANDARD)) {
            assertThat(texts(table, "a")).containsExactly("1,5");
        }
    }

    @Test
    void csv_missingNumber_isRefusedUnlessFilled() {
        TableOptions age = STANDARD.columns("age").type("age", DType.F64);
        String text = "name,age\nAda,NA\nGrace,\nAlan,41\n";

        Table refusing = csv(text, age);
        Table filling = csv(text, age.fillNulls("age", -1));

        assertThatThrownBy(() -> refusing.get(1).block())
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("memory/a.csv, line 3: column age is null; say what nulls become");
        assertThat(row(refusing, 2).tensor("age").doubleAt(0)).isEqualTo(41);
        assertThat(row(filling, 0).tensor("age").doubleAt(0)).isEqualTo(-1);
    }

    @Test
    void csv_wrongRows_failAloneAndNameTheLine() {
        TableOptions options = STANDARD.type("n", DType.I32).type("b", DType.BOOL);
        Table table = csv("n,b\n1,\"tr\nue\"\n2,maybe\n3\n3000000000,1\n4,\"1\"x\n5,True\n", options);

        assertThatThrownBy(() -> table.get(0).block())
                .hasMessageEndingWith("a.csv, line 2: column b: \"tr\nue\" is no bool");
        assertThatThrownBy(() -> table.get(1).block()).hasMessageEndingWith("line 4: column b: \"maybe\" is no bool");
        assertThatThrownBy(() -> table.get(2).block())
                .hasMessageEndingWith("line 5: there are 1 cells, the header has 2");
        assertThatThrownBy(() -> table.get(3).block()).hasMessageEndingWith("line 6: column n: 3000000000 is no i32");
        assertThatThrownBy(() -> table.get(4).block())
                .hasMessageContaining("line 7: text follows the closing quote of cell 2");
        assertThat(row(table, 5).values()).containsExactly(Tensor.scalar(5), Tensor.scalar(true));
        assertThatThrownBy(() -> csv("n,b\n4,\"1\"x\n", STANDARD.columns("n").type("n", DType.I32))
                        .get(0)
                        .block())
                .as("a broken cell of another column")
                .hasMessageContaining("line 2: text follows the closing quote of cell 2");
    }

    @Test
    void csv_quoteThatIsNone_failsItsLineAlone() {
        String text = "t,n\nFirst,1\n\"Second,2\nThird \"x\",3\n\"a\nb\",\"c\nd\" e\n\"f\nf\",6\n";

        Table table = csv(text, STANDARD.columns("n"));

        assertThat(table.size()).isEqualTo(6);
        assertThatThrownBy(() -> row(table, 1))
                .hasMessageContaining("a.csv, line 3: the quote that begins cell 1 is not closed");
        assertThatThrownBy(() -> row(table, 3))
                .hasMessageContaining("a.csv, line 5: the quote that begins cell 2 is not closed");
        assertThatThrownBy(() -> row(table, 4))
                .hasMessageContaining("a.csv, line 7: there are 1 cells, the header has 2");
        assertThat(Stream.of(0, 2, 5).map(i -> text(row(table, i).tensor("n")))).containsExactly("1", "3", "6");
    }

    @Test
    void csv_quoteThatIsNoneInALargeFile_failsItsLineAlone() {
        String text = "t,n\n\"Second,2\n" + "a,1\n".repeat(200_000) + "Third \"x\",3\n\"Fourth,4\n\"x\",5\n";

        Table table = csv(text, STANDARD);

        assertThat(table.size()).isEqualTo(200_004);
        assertThatThrownBy(() -> row(table, 0)).hasMessageContaining("line 2: the quote that begins cell 1");
        assertThat(text(row(table, 1).tensor("n"))).isEqualTo("1");
        assertThat(text(row(table, 200_001).tensor("t"))).isEqualTo("Third \"x\"");
        assertThatThrownBy(() -> row(table, 200_002)).hasMessageContaining("line 200004: the quote that begins");
        assertThat(text(row(table, 200_003).tensor("t"))).isEqualTo("x");
    }

    @Test
    void csv_bytesThatAreNotUtf8_failTheRecordWhicheverColumnsAreChosen() {
        byte[] bytes = "name,n\nZo\u00C3\u00AB,1\nZoe,2\nZo\u00EB,3\n".getBytes(StandardCharsets.ISO_8859_1);
        for (String column : List.of("name", "n")) {
            Table table = Table.open(
                    MemoryStore.of("m", Map.of("a.csv", bytes)), "a.csv", TableFormat.csv(), STANDARD.columns(column));

            assertThatThrownBy(() -> row(table, 2))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("a.csv, line 4: column name: it is not UTF-8: byte EB at byte 2 of the cell");
            assertThat(text(row(table, 0).tensor(column))).isEqualTo(column.equals("n") ? "1" : "Zo\u00EB");
        }
    }

    @Test
    void csv_headerThatIsNotUtf8_isRefused() {
        byte[] bytes = "n,Stra\u00DFe\n1,2\n".getBytes(StandardCharsets.ISO_8859_1);

        assertThatThrownBy(() ->
                        Table.open(MemoryStore.of("m", Map.of("a.csv", bytes)), "a.csv", TableFormat.csv(), STANDARD))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("a.csv: its header, line 1: column")
                .hasMessageContaining("it is not UTF-8: byte DF at byte 4 of the cell");
        assertThatThrownBy(() -> csv("\"a\"x,b\n1,2\n", STANDARD))
                .hasMessageContaining("its header, line 1: text follows the closing quote of cell 1");
    }

    @Test
    void csv_carriageReturnsThatEndNoLine_belongToTheirCells() {
        Table table = csv("a,b\r\n\r\r\nx\ry,z\r\n\r\n\"1\r2\",\r\n3,4\r\r\n", STANDARD);

        assertThatThrownBy(() -> row(csv("a,b\n\"1\"\r,2\n", STANDARD), 0))
                .hasMessageContaining("line 2: text follows the closing quote of cell 1");
        assertThat(table.size()).isEqualTo(3);
        assertThat(texts(table, "a")).containsExactly("x\ry", "1\r2", "3");
        assertThat(texts(table, "b")).containsExactly("z", "", "4\r");
    }

    @Test
    void csv_folderOfOtherFiles_saysHowNamesEnd() throws IOException {
        Files.writeString(folder.resolve("a.txt"), PEOPLE);
        Files.writeString(folder.resolve("_a.csv"), PEOPLE);

        assertThatThrownBy(() -> Table.open(folder, TableFormat.csv(), STANDARD))
                .isInstanceOf(StoreException.class)
                .hasMessage("no CSV files in " + folder
                        + ": no file below it ends in .csv or .csv.gz or .csv.zst or .tsv or" + " .tsv.gz or .tsv.zst");
    }

    @Test
    void csv_openedWrongly_saysWhatIsWrong() {
        assertThatThrownBy(() -> csv(PEOPLE, STANDARD.columns("size")))
                .hasMessageContaining("a.csv: there is no column \"size\", only [name, age, height]");
        assertThatThrownBy(() -> csv(PEOPLE, STANDARD.type("ages", DType.F32)))
                .hasMessageContaining("there is no column \"ages\"")
                .hasMessageContaining("only [name, age, height]");
        assertThatThrownBy(() -> csv(PEOPLE, STANDARD.columns("name").fillNulls("ages", 0)))
                .hasMessageContaining("there is no column \"ages\"");
        assertThatThrownBy(() -> csv("a,b,a\n1,2,3\n", STANDARD)).hasMessageContaining("there are two columns \"a\"");
        assertThatThrownBy(() -> csv("a\n1\n\"2\n3\n", STANDARD))
                .hasMessageContaining("a.csv, line 3: a quote in this record is never closed");
        assertThatThrownBy(() -> csv("", STANDARD)).hasMessageContaining("it has no header: it is empty");
        assertThatThrownBy(() -> csv(PEOPLE, STANDARD.fillNulls("age", 0)))
                .hasMessageContaining("(type, or age:float=0 in a flag)");
        assertThatThrownBy(() -> csv(PEOPLE, STANDARD.type("age", DType.I64).fillNulls("age", 0.5)))
                .hasMessageContaining("cannot become 0.5");
    }

    @Test
    void csv_manyGroups_areAddressedByRow() {
        StringBuilder text = new StringBuilder("n,text\n");
        for (int i = 0; i < 40_000; i++) {
            text.append(i).append(",\"line\n").append("x".repeat(i % 40)).append("\"\n");
        }

        Table table = csv(text.toString(), STANDARD.type("n", DType.I32));

        assertThat(table.size()).isEqualTo(40_000);
        assertThat(table.groupRows()).isBetween(1_000L, 20_000L);
        for (int i : new int[] {0, 1, 9_999, 23_456, 39_999}) {
            assertThat(row(table, i).tensor("n")).isEqualTo(Tensor.scalar(i));
            assertThat(text(row(table, i).tensor("text"))).isEqualTo("line\n" + "x".repeat(i % 40));
        }
    }

    @Test
    void csv_faultInALaterGroup_namesTheLineOfTheFile() {
        String text = "n\n" + "123456789\n".repeat(100_000) + "bad\n";

        Table table = csv(text, STANDARD.type("n", DType.I32));

        assertThatThrownBy(() -> table.get(100_000).block())
                .hasMessageContaining("line 100002: column n: \"bad\" is no i32");
    }

    @Test
    void csv_keptIndex_isUsedUntilTheFileChanges() throws IOException {
        Path file = Files.writeString(folder.resolve("a.csv"), PEOPLE);
        Path index = folder.resolve("index");

        try (Table first = Table.open(file, TableFormat.csv().index(index), STANDARD)) {
            assertThat(first.size()).isEqualTo(3);
        }
        FileTime written = Files.getLastModifiedTime(file);
        Files.writeString(file, PEOPLE.replace("\nGrace", " Grace")); // the same size and time: the index is believed
        Files.setLastModifiedTime(file, written);
        try (Table again = Table.open(file, TableFormat.csv().index(index), STANDARD)) {
            assertThat(again.size()).isEqualTo(3);
            assertThatThrownBy(() -> again.get(0).block()).hasMessageContaining("the file has changed");
        }
        Files.writeString(file, PEOPLE + "Kurt,71,1.6\n");
        try (Table changed = Table.open(file, TableFormat.csv().index(index), STANDARD)) {
            assertThat(changed.size()).isEqualTo(4);
        }
    }

    @Test
    void csv_damagedIndex_isMadeAgain() throws IOException {
        Path file = Files.writeString(folder.resolve("a.csv"), PEOPLE);
        Path index = folder.resolve("index");
        Table.open(file, TableFormat.csv().index(index), STANDARD).close();
        Path kept;
        try (Stream<Path> files = Files.list(index)) {
            kept = files.findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(kept);

        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 4;
            Files.write(kept, damaged);
            try (Table table = Table.open(file, TableFormat.csv().index(index), STANDARD)) {
                assertThat(table.size()).isEqualTo(3);
            }
        }
    }

    @Test
    void csv_foldersAndCompressedFiles_areOneTable() throws IOException {
        Files.createDirectories(folder.resolve("year=2023"));
        Files.createDirectories(folder.resolve("year=2024"));
        Files.writeString(folder.resolve("year=2023/a.csv"), PEOPLE);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write("name,age,height\nKurt,71,1.6\n".getBytes(StandardCharsets.UTF_8));
        }
        Files.write(folder.resolve("year=2024/b.csv.gz"), packed.toByteArray());

        try (Table table = Table.open(folder, TableFormat.csv(), STANDARD.columns("name", "year"))) {
            assertThat(texts(table, "name")).containsExactly("Ada", "Grace", "Alan", "Kurt");
            assertThat(row(table, 3).tensor("year")).isEqualTo(Tensor.scalar(2024L));
        }
    }

    /** As Hive, Spark, Arrow, DuckDB and Polars name it. */
    @Test
    void csv_folderOfNulls_isNullAndNoText() throws IOException {
        for (String year : List.of("2023", "__HIVE_DEFAULT_PARTITION__")) {
            Files.createDirectories(folder.resolve("year=" + year));
            Files.writeString(folder.resolve("year=%s/a.csv".formatted(year)), PEOPLE);
        }

        try (Table refusing = Table.open(folder, TableFormat.csv(), STANDARD.columns("name", "year"));
                Table filled = Table.open(
                        folder,
                        TableFormat.csv(),
                        STANDARD.columns("name", "year").fillNulls("year", -1));
                Table others = Table.open(folder, TableFormat.csv(), STANDARD.columns("name"))) {
            assertThat(refusing.fields()).extracting(TableField::toString).containsExactly("name u8[n]", "year i64");
            assertThat(row(refusing, 0).tensor("year")).isEqualTo(Tensor.scalar(2023L));
            assertThatThrownBy(() -> row(refusing, 3))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("__HIVE_DEFAULT_PARTITION__/a.csv")
                    .hasMessageContaining("column year is null; say what nulls become");
            assertThat(row(filled, 3).tensor("year")).isEqualTo(Tensor.scalar(-1L));
            assertThat(texts(others, "name")).hasSize(6);
        }
        assertThatThrownBy(() -> Table.open(
                        folder,
                        TableFormat.csv(),
                        STANDARD.columns("name", "year").fillNulls(0.5)))
                .hasMessageContaining("nulls of column year cannot become 0.5: it is i64");
    }

    @Test
    void json_statedFields_areReadFromEachLine() {
        TableOptions options = STANDARD.columns("text", "meta.score", "ids", "boxes", "tags")
                .type("meta.score", DType.F64)
                .type("ids", DType.I32)
                .lists("ids", 1)
                .type("boxes", DType.F32)
                .lists("boxes", 2)
                .lists("tags", 1);
        Table table = json(
                "{\"text\":\"a\\nb\",\"other\":{\"text\":[1]},\"meta\":{\"score\":0.5,\"x\":{}},\"ids\":[1,2,3],"
                        + "\"boxes\":[[1,2],[],[3]],\"tags\":[\"x\",\"yz\"]}\r\n\n"
                        + "{\"ids\":[],\"boxes\":[],\"tags\":[],\"meta\":{\"score\":NaN},\"text\":\"ü\"}\n",
                options);

        Row first = row(table, 0);
        assertThat(table.size()).isEqualTo(2);
        assertThat(first.names())
                .containsExactly("text", "meta.score", "ids", "boxes", "boxes.lengths", "tags", "tags.lengths");
        assertThat(text(first.tensor("text"))).isEqualTo("a\nb");
        assertThat(first.tensor("meta.score")).isEqualTo(Tensor.scalar(0.5));
        assertThat(first.tensor("ids")).isEqualTo(Tensor.ofInts(new int[] {1, 2, 3}));
        assertThat(first.tensor("boxes")).isEqualTo(Tensor.ofFloats(new float[] {1, 2, 3}));
        assertThat(first.tensor("boxes.lengths")).isEqualTo(Tensor.ofInts(new int[] {2, 0, 1}));
        assertThat(text(first.tensor("tags"))).isEqualTo("xyz");
        assertThat(first.tensor("tags.lengths")).isEqualTo(Tensor.ofInts(new int[] {1, 2}));
        assertThat(text(row(table, 1).tensor("text"))).isEqualTo("ü");
    }

    @Test
    void json_missingFields_areNull() {
        TableOptions options = STANDARD.columns("n", "l")
                .type("n", DType.I64)
                .type("l", DType.I32)
                .lists("l", 1);
        String text = "{\"n\":null}\n{}\n{\"n\":7,\"l\":[null]}\n";

        Table filling = json(text, options.fillNulls(3));

        assertThatThrownBy(() -> json(text, options).get(1).block())
                .hasMessageContaining("a.jsonl, line 2: column n is null");
        assertThat(row(filling, 1).values()).containsExactly(Tensor.scalar(3L), Tensor.ofInts(new int[0]));
        assertThat(row(filling, 2).values()).containsExactly(Tensor.scalar(7L), Tensor.ofInts(new int[] {3}));
    }

    @Test
    void json_wrongLines_failAlone() {
        TableOptions options = STANDARD.columns("n", "t", "l")
                .type("n", DType.U8)
                .type("n", DType.I16)
                .type("l", DType.I32)
                .lists("l", 2)
                .fillNulls(0);
        Table table = json("""
                {"n":1,"t":2}
                {"n":"1"}
                [1]
                {"n":1
                {"n":1} x
                {"n":70000}
                {"n":1.5}
                {"n":1,"n":2}
                {"l":[[1],2]}
                {"t":"a\\ud800b"}
                {"n":5,"t":"ok","l":[[1],[]]}
                """, options);

        List<String> wrong = List.of(
                "line 1: column t: a text is wanted, it is a number",
                "line 2: column n: a number is wanted, it is a text",
                "line 3: it is an array, not an object; where the file is one array, jq -c '.[]' makes lines of it",
                "line 4: it is damaged JSON: Unexpected end-of-input: expected close marker for Object (byte 6 of the line)",
                "line 5: it is damaged JSON",
                "line 6: column n: 70000 is no i16",
                "line 7: column n: \"1.5\" is no i16",
                "line 8: column n: it is there twice",
                "line 9: column l: a list is wanted, it is a number",
                "line 10: column t: half of a surrogate pair is no character");
        for (int i = 0; i < wrong.size(); i++) {
            int index = i;
            assertThatThrownBy(() -> table.get(index).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("a.jsonl, " + wrong.get(i));
        }
        assertThat(text(row(table, 10).tensor("t"))).isEqualTo("ok");
        assertThat(row(table, 10).tensor("l.lengths")).isEqualTo(Tensor.ofInts(new int[] {1, 0}));
    }

    @Test
    void json_brokenFieldsThatAreNotChosen_failTheirLinesToo() {
        Table table = json("""
                {"t":"a\\ud800b","n":1}
                {"o":{"t":["\\ud800"]},"n":2}
                {"\\ud800":0,"n":3}
                {"t":1,"t":2,"n":4}
                {"o":{"p":{"t":1,"t":1}},"n":5}
                {"\\udc00":0,"n":3}
                {"t":"\\ud83d\\ude00","n":6}
                """, STANDARD.columns("n").type("n", DType.I32));

        List<String> wrong = List.of(
                "line 1: column t: half of a surrogate pair is no character",
                "line 2: column o: half of a surrogate pair is no character",
                "line 3: it is damaged JSON",
                "line 4: column t: it is there twice",
                "line 5: column o.p.t: it is there twice",
                "line 6: it is damaged JSON");
        for (int i = 0; i < wrong.size(); i++) {
            int index = i;
            assertThatThrownBy(() -> row(table, index))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("a.jsonl, " + wrong.get(i));
        }
        assertThat(row(table, 6).tensor("n")).isEqualTo(Tensor.scalar(6));
    }

    @Test
    void json_fieldsThatAreNotUtf8AndNotChosen_failTheirLines() {
        byte[] bytes = "{\"t\":\"\u00E9\",\"n\":1}\n{\"n\":2}\n".getBytes(StandardCharsets.ISO_8859_1);
        Table table = Table.open(
                MemoryStore.of("m", Map.of("a.jsonl", bytes)),
                "a.jsonl",
                TableFormat.jsonLines(),
                STANDARD.columns("n").type("n", DType.I32));

        assertThatThrownBy(() -> row(table, 0)).hasMessageContaining("a.jsonl, line 1: it is damaged JSON");
        assertThat(row(table, 1).tensor("n")).isEqualTo(Tensor.scalar(2));
    }

    @Test
    void json_noFields_isRefused() {
        assertThatThrownBy(() -> json("{}\n", STANDARD))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name the fields of JSON lines");
    }
}
