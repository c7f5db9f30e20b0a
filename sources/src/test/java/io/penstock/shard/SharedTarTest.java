package io.penstock.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.DataException;
import io.penstock.store.http.HttpStore;
import io.penstock.store.http.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Archives that others wrote, against what Python's tarfile reads of them. */
class SharedTarTest {

    private static final Path DATA = Path.of(System.getProperty("penstock.data", "missing"));

    private static final Pattern MEMBER = Pattern.compile(
            "\\{\"name\": \"([^\"]*)\", \"type\": \"(\\w+)\", \"size\": (\\d+)(?:, \"sha256\": \"(\\w+)\")?(, \"error\")?");

    /** Python does not read this one, GNU tar does: it has letters where a device's number may be. */
    private static final Set<String> READ_ALL_THE_SAME = Set.of("tar/commons-compress/COMPRESS-417.tar");

    /** Here Python takes times for folders, which GNU's and star's headers have where ustar's have a prefix. */
    private static final Pattern TIMES = Pattern.compile("^\\d{11}( \\d{11} )?/(?=test-times)");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path cache;

    /** Over HTTP every fourth: with -Pendurance each. */
    @Tag("repeated")
    @TestFactory
    List<DynamicTest> archives_allOfThem_haveTheExpectedFiles() throws IOException {
        Path expected = DATA.resolve("expected/tar.jsonl");
        Assumptions.assumeTrue(Files.exists(expected), "needs the shared data: " + expected);
        List<DynamicTest> tests = new ArrayList<>();
        for (String line : Files.readAllLines(expected)) {
            String path = line.replaceAll("^\\{\"path\": \"([^\"]*)\".*", "$1");
            tests.add(DynamicTest.dynamicTest(path, () -> check(path, line, TarShards.open(DATA.resolve(path)))));
            if (tests.size() % 5 == 1 || Boolean.getBoolean("penstock.endurance")) {
                tests.add(DynamicTest.dynamicTest(path + " over HTTP", () -> {
                    try (TestServer server = TestServer.of(DATA);
                            HttpStore store = HttpStore.at(server.address())) {
                        check(path, line, TarShards.open(store, List.of(path)));
                    }
                }));
            }
        }
        return tests;
    }

    private void check(String path, String line, TarShards shards) throws Exception {
        boolean sparse = path.contains("sparse");
        boolean broken = sparse || line.contains("\"error\"") && !READ_ALL_THE_SAME.contains(path);
        if (broken) {
            assertThatThrownBy(() -> shards.files(cache))
                    .isInstanceOf(DataException.class)
                    .hasMessageContaining(path.substring(path.lastIndexOf('/') + 1));
            return;
        }
        List<String> wanted = new ArrayList<>();
        Matcher member = MEMBER.matcher(line);
        while (member.find()) {
            if (member.group(4) != null && Set.of("file", "sparse").contains(member.group(2))) {
                wanted.add("%s %s %s"
                        .formatted(TIMES.matcher(member.group(1)).replaceFirst(""), member.group(3), member.group(4)));
            }
        }
        if (!wanted.isEmpty()) {
            assertThat(read(shards)).isEqualTo(wanted);
            assertThat(read(shards)).as("from the index kept").isEqualTo(wanted);
        }
    }

    private List<String> read(TarShards shards) throws NoSuchAlgorithmException {
        TarFiles files = shards.files(cache);
        List<String> read = new ArrayList<>();
        for (long index = 0; index < files.size(); index++) {
            TarFile file = Objects.requireNonNull(files.get(index).block());
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(file.bytes().toByteArray());
            read.add("%s %d %s"
                    .formatted(
                            file.name(), file.bytes().byteSize(), HexFormat.of().formatHex(digest)));
        }
        return read;
    }
}
