package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** CSV and JSON lines from the command line. */
class DelimitedSourcesTest {

    @TempDir
    Path folder;

    @Test
    void csv_typesOfColumns_areStatedAsThoseOfTables() throws Exception {
        Path file = Files.writeString(folder.resolve("a.csv"), "fare,company,tips\n5.5,\"A, B\",\n7,C,1\n");

        Cli shown = Cli.run("show", "csv:" + file + "#company,fare:float,tips:int=0", "--index", "0", "--json");
        Cli refused = Cli.run("show", "csv:" + file + "#fare:decimal");

        assertThat(shown.status()).as(shown.err()).isZero();
        assertThat(shown.out()).contains("\"company\"", "\"f32\"", "\"i64\"");
        assertThat(refused.err()).contains("a column is int, float, double, bool, bytes, a list as int[]");
    }

    @Test
    void csv_indexBesideTheCache_isTheCachesOwn() throws Exception {
        Path file = Files.writeString(folder.resolve("a.csv"), "n:x,text\n1,one\n2,two\n3,three\n");
        String cache = folder.resolve("cache").toString();
        String source = "csv:" + file + "#text";

        Cli first = Cli.run("stream", "--source", source, "--batch", "1", "--digest", "--cache-disk", cache);
        Cli second = Cli.run("stream", "--source", source, "--batch", "1", "--digest", "--cache-disk", cache);
        Cli verified = Cli.run("cache", "verify", cache);

        assertThat(first.status()).as(first.err()).isZero();
        assertThat(second.status()).isZero();
        try (Stream<Path> kept = Files.list(folder.resolve("cache/tar-index"))) {
            assertThat(kept).singleElement().asString().endsWith(".groups");
        }
        assertThat(verified.status()).as(verified.err()).isZero();
        assertThat(verified.err()).doesNotContain("groups");
    }

    @Test
    void jsonLines_withAndWithoutFields_areRowsAndLines() throws IOException {
        Path file =
                Files.writeString(folder.resolve("a.jsonl"), "{\"text\":\"one\",\"ids\":[1,2]}\n{\"text\":\"two\"}\n");

        Cli lines = Cli.run("show", "jsonl:" + file);
        Cli fields = Cli.run("show", "jsonl:" + file + "#text,ids:int[]=0", "--index", "1");
        Cli tokens = Cli.run(
                "stream", "--source", "jsonl:" + file + "#text", "--tokenize", "bytes", "--batch", "2", "--pad");

        assertThat(lines.out()).contains("2 samples of bytes u8[varies]");
        assertThat(fields.status()).as(fields.err()).isZero();
        assertThat(fields.out()).contains("text u8[varies]", "ids i64[varies]");
        assertThat(tokens.status()).as(tokens.err()).isZero();
    }
}
