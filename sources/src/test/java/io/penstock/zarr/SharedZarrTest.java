package io.penstock.zarr;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.http.HttpStore;
import io.penstock.store.http.TestServer;
import io.penstock.store.mirror.MirroredStore;
import io.penstock.store.zip.ZipStore;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.internal.element.HalfFloat;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Arrays that others wrote, against checksums by two readers that are not this one. */
class SharedZarrTest {

    @TempDir
    private Path copies;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_CHUNKS_OVER_HTTP = 16;

    private static Path data() {
        Path data = Path.of(System.getProperty("penstock.data", "missing"));
        Assumptions.assumeTrue(
                Files.exists(data.resolve("expected/zarr.jsonl")), "no shared data at " + data.toAbsolutePath());
        return data;
    }

    @Tag("repeated")
    @Test
    void everyArray_readWholeAndByRegion_hasTheExpectedBytes() throws IOException {
        Path data = data();
        List<String> wrong = new ArrayList<>();
        List<JsonNode> arrays = expected(data);
        int step = Boolean.getBoolean("penstock.endurance") ? 1 : 6;

        for (int i = 0; i < arrays.size(); i += step) {
            JsonNode expected = arrays.get(i);
            Path at = data.resolve(expected.get("store").asText());
            check(expected, wrong, () -> Opened.file(at));
        }

        assertThat(wrong).as("of %d arrays", arrays.size()).isEmpty();
        assertThat(arrays).isNotEmpty();
    }

    @Tag("endurance")
    @Test
    void everySmallArray_readOverHttpWholeAndByRegion_hasTheExpectedBytes() throws IOException {
        Path data = data();
        List<String> wrong = new ArrayList<>();
        List<JsonNode> arrays = expected(data).stream()
                .filter(expected ->
                        Files.isDirectory(data.resolve(expected.get("store").asText())))
                .filter(expected -> expected.path("chunks_stored").asInt() <= MAX_CHUNKS_OVER_HTTP)
                .toList();

        try (TestServer server = TestServer.of(data)) {
            for (JsonNode expected : arrays) {
                URI at = server.address().resolve(expected.get("store").asText().replace(" ", "%20") + "/");
                check(expected, wrong, () -> Opened.http(at));
            }
        }

        assertThat(wrong).as("of %d arrays", arrays.size()).isEmpty();
        assertThat(arrays).hasSizeGreaterThan(100);
    }

    @Test
    void everyArrayInAZip_copiedOverHttp_hasTheExpectedBytes() throws IOException {
        Path data = data();
        List<String> wrong = new ArrayList<>();
        List<JsonNode> arrays = expected(data).stream()
                .filter(expected ->
                        Files.isRegularFile(data.resolve(expected.get("store").asText())))
                .toList();

        try (TestServer server = TestServer.of(data);
                HttpStore far = HttpStore.at(server.address());
                MirroredStore mirror = MirroredStore.of(far, copies)) {
            for (JsonNode expected : arrays) {
                String zip = expected.get("store").asText();
                check(expected, wrong, () -> Opened.copy(far, mirror, zip));
            }
            assertThat(mirror.copied()).as("each zip once").isLessThan(20);
        }

        assertThat(wrong).as("of %d arrays", arrays.size()).isEmpty();
        assertThat(arrays).hasSizeGreaterThan(100);
    }

    private static List<JsonNode> expected(Path data) throws IOException {
        List<JsonNode> expected = new ArrayList<>();
        for (String line : Files.readAllLines(data.resolve("expected/zarr.jsonl"))) {
            expected.add(JSON.readTree(line));
        }
        return expected;
    }

    private static void check(JsonNode expected, List<String> wrong, Supplier<Opened> open) {
        String name = "%s#%s (v%d)"
                .formatted(
                        expected.get("store").asText(),
                        expected.get("array").asText(),
                        expected.get("zarr_format").asInt());
        try (Opened opened = open.get()) {
            check(opened, expected, name, wrong);
        } catch (RuntimeException | AssertionError e) {
            wrong.add(name + ": " + e);
        }
    }

    private static void check(Opened opened, JsonNode expected, String name, List<String> wrong) {
        if (expected.has("error")) {
            refused(opened.store(), expected, name, wrong);
            return;
        }
        ZarrArray array = open(opened.store(), expected);
        Tensor whole = Objects.requireNonNull(array.read().block());
        if (!sha256(whole).equals(expected.get("sha256").asText())) {
            wrong.add(name + ": other bytes: " + array);
        }
        assertThat(array.shape().toArray()).isEqualTo(longs(expected.get("shape")));
        JsonNode region = expected.path("region");
        if (region.isObject()) {
            Tensor part = Objects.requireNonNull(array.read(longs(region.get("start")), longs(region.get("stop")))
                    .block());
            if (!sha256(part).equals(region.get("sha256").asText())) {
                wrong.add(name + ": other bytes in the region: " + array);
            }
        }
        probes(array, whole, expected, name, wrong);
    }

    private static void refused(Store store, JsonNode expected, String name, List<String> wrong) {
        try {
            open(store, expected).read().block();
            wrong.add(name + ": was read, but others could not: " + expected.get("error"));
        } catch (RuntimeException e) {
            if (!e.getMessage().contains("not supported")) {
                wrong.add(name + ": " + e);
            }
        }
    }

    private static ZarrArray open(Store store, JsonNode expected) {
        ZarrFormat format = expected.get("zarr_format").asInt() == 2 ? ZarrFormat.V2 : ZarrFormat.V3;
        return Objects.requireNonNull(
                ZarrArray.open(store, expected.get("array").asText(), format).block());
    }

    /** Single elements and the first ones, by the element access of tensors. */
    private static void probes(ZarrArray array, Tensor whole, JsonNode expected, String name, List<String> wrong) {
        JsonNode head = expected.path("head");
        for (int i = 0; i < head.size(); i++) {
            if (array.isText()) {
                String text = whole.toText().split("\n", -1)[i];
                if (!text.equals(head.get(i).asText())) {
                    wrong.add(name + ": element " + i + " is " + text);
                }
            } else if (!same(whole, i, head.get(i))) {
                wrong.add("%s: element %d is not %s".formatted(name, i, head.get(i)));
            }
        }
        for (JsonNode probe : expected.path("probes")) {
            long[] at = longs(probe.get(0));
            long[] next = at.clone();
            for (int i = 0; i < next.length; i++) {
                next[i]++;
            }
            if (array.isText()) {
                List<String> texts =
                        Objects.requireNonNull(array.texts(at, next).block());
                if (!texts.equals(List.of(probe.get(1).asText()))) {
                    wrong.add("%s: at %s are %s".formatted(name, probe.get(0), texts));
                }
            } else if (!same(Objects.requireNonNull(array.read(at, next).block()), 0, probe.get(1))) {
                wrong.add("%s: at %s is not %s".formatted(name, probe.get(0), probe.get(1)));
            }
        }
    }

    private static boolean same(Tensor tensor, int element, JsonNode value) {
        if (tensor.dtype() == DType.F16) {
            float half = HalfFloat.fromHalf(tensor.data().getShort(2 * element));
            return value.isNumber() ? half == value.floatValue() : Float.isNaN(half);
        }
        double found = tensor.doubleAt(element);
        if (value.isBoolean()) {
            return (found != 0) == value.booleanValue();
        }
        return value.isNumber() ? found == value.doubleValue() : !Double.isFinite(found);
    }

    private static long[] longs(JsonNode list) {
        long[] longs = new long[list.size()];
        for (int i = 0; i < longs.length; i++) {
            longs[i] = list.get(i).asLong();
        }
        return longs;
    }

    private static String sha256(Tensor tensor) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(tensor.data());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** A store, and what closes it. */
    private record Opened(Store store, Runnable closing) implements AutoCloseable {

        static Opened file(Path at) {
            if (Files.isDirectory(at)) {
                FileStore store = FileStore.open(at);
                return new Opened(store, store::close);
            }
            ZipStore store = ZipStore.open(at);
            return new Opened(store, store::close);
        }

        static Opened http(URI at) {
            HttpStore store = HttpStore.at(at);
            return new Opened(store, store::close);
        }

        static Opened copy(HttpStore far, MirroredStore mirror, String zip) {
            Path copy =
                    Objects.requireNonNull(far.entry(zip).flatMap(mirror::path).block());
            ZipStore store = ZipStore.openCopy(copy, far.location() + zip);
            return new Opened(store, store::close);
        }

        @Override
        public void close() {
            closing.run();
        }
    }

    @Test
    void everyGroup_ofTheSharedStores_listsTheArraysThatAreThere() throws IOException {
        Path data = data();
        Path root = data.resolve("zarr/v3/zarrita-js/data.zarr");
        Assumptions.assumeTrue(Files.isDirectory(root), "no such store in the shared data");
        List<String> expected = new ArrayList<>();
        for (String line : Files.readAllLines(data.resolve("expected/zarr.jsonl"), StandardCharsets.UTF_8)) {
            JsonNode row = JSON.readTree(line);
            if (row.get("store").asText().equals("zarr/v3/zarrita-js/data.zarr")) {
                expected.add(row.get("array").asText());
            }
        }

        try (FileStore store = FileStore.open(root)) {
            List<String> found = Objects.requireNonNull(
                            ZarrGroup.open(store, "").block())
                    .arrays()
                    .collectList()
                    .block();

            assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        }
    }
}
