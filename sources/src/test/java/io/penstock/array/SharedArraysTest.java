package io.penstock.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.store.FileStore;
import io.penstock.store.ShortStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Arrays that NumPy and others wrote, against what NumPy reads of them. */
class SharedArraysTest {

    private static final Path DATA = Path.of(System.getProperty("penstock.data", "missing"));
    private static final Pattern ENTRY = Pattern.compile("\"(\\w+)\": (\\{\"dtype\": [^}]*\\})");

    private static String sha256(ArrayRows rows) throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (long index = 0; index < rows.size(); index++) {
            digest.update(Objects.requireNonNull(rows.get(index).block()).data());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    @TestFactory
    List<DynamicTest> npy_allOfThem_haveTheExpectedElements() throws IOException {
        Path expected = DATA.resolve("expected/npy.jsonl");
        Assumptions.assumeTrue(Files.exists(expected), "needs the shared data: " + expected);
        List<DynamicTest> tests = new ArrayList<>();
        for (String line : Files.readAllLines(expected)) {
            String path = line.replaceAll("^\\{\"path\": \"([^\"]*)\".*", "$1");
            tests.add(DynamicTest.dynamicTest(path, () -> check(path, line)));
        }
        return tests;
    }

    private static void check(String path, String line) throws Exception {
        if (path.endsWith(".npy")) {
            compare(() -> ArrayRows.openNpy(FileStore.open(DATA), path), line);
            return;
        }
        ShortStore entries = unzipped(DATA.resolve(path));
        Matcher entry = ENTRY.matcher(line);
        while (entry.find()) {
            String key = entry.group(1) + ".npy";
            compare(() -> ArrayRows.openNpy(entries, key), entry.group(2));
        }
    }

    private static ShortStore unzipped(Path path) throws IOException {
        ShortStore store = ShortStore.prompt();
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(path))) {
            for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                store.with(entry.getName(), zip.readAllBytes());
            }
        }
        return store;
    }

    private interface Opening {
        ArrayRows open();
    }

    private static void compare(Opening opening, String expected) throws NoSuchAlgorithmException {
        if (!expected.contains("sha256_c_order_le")) {
            assertThatThrownBy(opening::open)
                    .isInstanceOf(FormatException.class)
                    .hasMessageMatching("(?s).*(objects are pickled|structured elements|of type).*");
            return;
        }
        if (expected.matches(".*\"shape\": \\[(\\d+, )*0(, \\d+)*\\].*")) {
            assertThatThrownBy(opening::open)
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("no rows");
            return;
        }
        ArrayRows rows = opening.open();
        assertThat(expected).contains("\"shape\": " + rows.shape());
        assertThat(sha256(rows)).isEqualTo(expected.replaceAll(".*\"sha256_c_order_le\": \"(\\w+)\".*", "$1"));
    }

    @Test
    void idx_fashionMnist_hasTheExpectedPicturesAndLabels() throws IOException, NoSuchAlgorithmException {
        Path expected = DATA.resolve("expected/idx.jsonl");
        Assumptions.assumeTrue(Files.exists(expected), "needs the shared data: " + expected);
        List<ArrayRows> arrays = new ArrayList<>();
        for (String line : Files.readAllLines(expected)) {
            ArrayRows rows = ArrayRows.openIdx(DATA.resolve(line.replaceAll("^\\{\"path\": \"([^\"]*)\".*", "$1")));

            assertThat(line).contains("\"dims\": " + rows.shape());
            assertThat(sha256(rows)).isEqualTo(line.replaceAll(".*\"payload_sha256\": \"(\\w+)\".*", "$1"));
            arrays.add(rows);
        }

        LabelledRow first = arrays.get(0).labelled(arrays.get(1)).get(0).block();

        assertThat(Objects.requireNonNull(first).label()).isEqualTo(9);
        assertThat(first.row().type()).isEqualTo("u8[28, 28]");
    }
}
