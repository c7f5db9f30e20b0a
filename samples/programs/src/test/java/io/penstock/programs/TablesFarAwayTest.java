package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.penstock.cli.Cli;
import io.penstock.cli.serve.FileServer;
import io.penstock.pictures.Photograph;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables on the command line that are in a bucket or behind HTTP: files, patterns, folders, partition folders. */
class TablesFarAwayTest {

    private static final int ROWS = 4;
    private static final List<byte[]> PICTURES = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private static TestBucket bucket;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void fill() throws Exception {
        for (int i = 0; i < ROWS; i++) {
            PICTURES.add(Photograph.of(i).jpeg());
        }
        bucket = TestBucket.start();
        for (int part = 0; part < 2; part++) {
            byte[] table = PictureTable.of(PICTURES, part * ROWS, 3);
            for (String name :
                    List.of("set/part-%d.parquet", "years/year=202%d/a.parquet", "spark.parquet/%d.parquet")) {
                Path file = folder.resolve(name.formatted(part));
                Files.createDirectories(file.getParent());
                Files.write(file, table);
                bucket.put(name.formatted(part), table);
            }
        }
        bucket.put("spark.parquet/_SUCCESS", new byte[0]);
    }

    @AfterAll
    static void stop() throws Exception {
        bucket.close();
    }

    private static JsonNode shown(Cli run) {
        assertThat(run.status()).as("%s %s", run.out(), run.err()).isZero();
        return run.events().get(0);
    }

    private static JsonNode inBucket(String source) {
        return shown(bucket.run(List.of("show", source, "--index", "5", "--json")));
    }

    private static JsonNode overHttp(String source) {
        return shown(Cli.run("show", source, "--index", "5", "--json"));
    }

    @Test
    void bucket_filesAndFolders_areTables() {
        for (String place : List.of("set", "set/", "set/part-*.parquet", "set/part-{0..1}.parquet", "spark.parquet")) {
            JsonNode table = inBucket("parquet:s3://data/" + place);

            assertThat(table.path("size").asInt()).as(place).isEqualTo(2 * ROWS);
            assertThat(table.at("/sample/label/values").toString()).contains("5");
        }
        Cli one = bucket.run(List.of("show", "parquet:s3://data/set/part-1.parquet", "--json"));
        assertThat(shown(one).path("size").asInt()).isEqualTo(ROWS);
    }

    @Test
    void bucket_partitionFolders_areAColumn() {
        JsonNode table = inBucket("parquet:s3://data/years#label,year");

        assertThat(table.path("size").asInt()).isEqualTo(2 * ROWS);
        assertThat(table.at("/sample/year/values").toString()).contains("2021");
    }

    @Test
    void bucket_withoutSuchATable_saysSo() {
        Cli missing = bucket.run(List.of("show", "parquet:s3://data/none"));
        Cli noTable = bucket.run(List.of("show", "arrow:s3://data/set"));

        assertThat(missing.status()).isNotZero();
        assertThat(missing.err()).contains("no Parquet files in").contains("/data/none/");
        assertThat(noTable.err()).contains("no Arrow files in").contains("/data/set/");
    }

    @Test
    void http_fileRangeAndManifest_areTables() throws IOException {
        Files.writeString(folder.resolve("years.jsonl"), """
                {"key": "years/year=2020/a.parquet"}
                {"key": "years/year=2021/a.parquet"}
                """);
        try (FileServer server = FileServer.of(folder).start()) {
            String at = "parquet:" + server.address();

            JsonNode range = overHttp(at + "set/part-{0..1}.parquet");
            JsonNode years = overHttp(at + "years.jsonl#label,year");
            Cli one = Cli.run("show", at + "set/part-1.parquet", "--json");
            Cli unlisted = Cli.run("show", at + "set/");

            assertThat(range.path("size").asInt()).isEqualTo(2 * ROWS);
            assertThat(years.at("/sample/year/values").toString()).contains("2021");
            assertThat(shown(one).path("size").asInt()).isEqualTo(ROWS);
            assertThat(unlisted.err()).contains("set/ is a folder, and HTTP has no lists");
        }
    }

    private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");

    /** Serves the folder to those whose query is a signature. */
    private static void answer(HttpExchange exchange, String signature) throws IOException {
        try (exchange) {
            Path file = folder.resolve(exchange.getRequestURI().getPath().substring(1));
            if (!signature.equals(exchange.getRequestURI().getRawQuery())) {
                exchange.sendResponseHeaders(403, -1);
                return;
            }
            byte[] bytes = Files.readAllBytes(file);
            exchange.getResponseHeaders().set("ETag", "\"" + file.getFileName() + "\"");
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.getResponseHeaders().set("Content-Length", Integer.toString(bytes.length));
                exchange.sendResponseHeaders(200, -1);
                return;
            }
            Matcher range =
                    RANGE.matcher(String.valueOf(exchange.getRequestHeaders().getFirst("Range")));
            boolean part = range.matches();
            int from = part ? Integer.parseInt(range.group(1)) : 0;
            int to = part ? Integer.parseInt(range.group(2)) + 1 : bytes.length;
            if (part) {
                exchange.getResponseHeaders()
                        .set("Content-Range", "bytes %d-%d/%d".formatted(from, to - 1, bytes.length));
            }
            exchange.sendResponseHeaders(part ? 206 : 200, to - from);
            exchange.getResponseBody().write(Arrays.copyOfRange(bytes, from, to));
        }
    }

    /** As Azure's SAS. The signature is made anew between two runs, and the cache of the first serves the second. */
    @Test
    void http_signedAddress_isReadAndNotTold() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        String[] signature = {"sv=2025&sig=first%2Fsecret/+,="};
        server.createContext("/", exchange -> answer(exchange, signature[0]));
        server.start();
        try {
            String file = "parquet:http://127.0.0.1:%d/set/part-0.parquet?"
                    .formatted(server.getAddress().getPort());
            String flags = "#image:picture --resize 16 --batch 2 --cache-disk " + folder.resolve("cache");

            Cli first = Cli.stream("--source " + file + signature[0] + flags);
            JsonNode shown = shown(Cli.run("show", file + signature[0] + "#label", "--json"));
            Cli refused = Cli.stream("--source " + file + "sig=a-secret" + flags);
            Cli broken = Cli.stream("--source " + file + "sig=a-secret^" + flags);
            signature[0] = "sv=2026&sig=second-secret";
            Cli second = Cli.stream("--source " + file + signature[0] + flags);

            assertThat(first.epoch(0).path("loads").asInt()).isEqualTo(ROWS);
            assertThat(second.epoch(0).path("loads").asInt()).isZero();
            assertThat(shown.path("source").asText()).isEqualTo(file + "…#label");
            assertThat(refused.err()).contains("set/part-0.parquet?… failed", "403");
            assertThat(broken.err()).contains("is no address");
            for (Cli run : List.of(first, refused, broken, second)) {
                assertThat(run.out() + run.err()).doesNotContain("secret");
            }
        } finally {
            server.stop(0);
        }
    }
}
