package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.array.ArrayRows;
import io.penstock.fault.DataException;
import io.penstock.folder.ImageFolder;
import io.penstock.manifest.ManifestDataset;
import io.penstock.records.RecordFiles;
import io.penstock.shard.TarShards;
import io.penstock.store.unpack.Unpacker;
import io.penstock.store.unpack.UnpackerTest;
import io.penstock.store.zip.ZipStore;
import io.penstock.text.TextLines;
import io.penstock.zarr.ZarrArray;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Paths that name no data: each is refused in words, and none is waited for. */
class OddPathsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temp;

    private final List<Path> odd = new ArrayList<>();

    private static final Map<String, Consumer<Path>> OPENERS = openers();

    private static Map<String, Consumer<Path>> openers() {
        Map<String, Consumer<Path>> openers = new TreeMap<>();
        openers.put("records", path -> RecordFiles.open(path, 1));
        openers.put("records, listed", path -> RecordFiles.open(List.of(path), 1));
        openers.put("text", TextLines::open);
        openers.put("jsonl", TextLines::openJson);
        openers.put("npy", ArrayRows::openNpy);
        openers.put("idx", ArrayRows::openIdx);
        openers.put("tar", path -> TarShards.open(path).index());
        openers.put("images", ImageFolder::open);
        openers.put("zip", ZipStore::open);
        openers.put("zarr", path -> ZarrArray.open(FileStore.open(path), "a").block());
        openers.put("manifest", path -> ManifestDataset.open(FileStore.open(path), "manifest.jsonl"));
        return openers;
    }

    @BeforeEach
    void makeThem() throws IOException, InterruptedException {
        Path pipe = temp.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        odd.add(pipe);
        odd.add(Files.createSymbolicLink(temp.resolve("to-pipe"), pipe));
        odd.add(Path.of("/dev/zero"));
        odd.add(Path.of("/dev/stdin"));
        odd.add(Files.createSymbolicLink(temp.resolve("dangling"), temp.resolve("nothing")));
        odd.add(Files.createSymbolicLink(temp.resolve("loop"), temp.resolve("loop")));
        odd.add(Files.createDirectory(temp.resolve("empty")));
        Path circle = Files.createDirectories(temp.resolve("circle/in"));
        Files.createSymbolicLink(circle.resolve("up"), temp.resolve("circle"));
        odd.add(temp.resolve("circle"));
        Path holds = Files.createDirectory(temp.resolve("holds-pipe"));
        Files.createSymbolicLink(holds.resolve("manifest.jsonl"), pipe);
        Path inside = holds.resolve("a.tar");
        assertThat(new ProcessBuilder("mkfifo", inside.toString()).start().waitFor())
                .isZero();
        odd.add(holds);
        odd.add(inside);
        odd.add(temp.resolve("none/there"));
        odd.add(temp.resolve("x".repeat(5000)));
        odd.add(Path.of("/"));
    }

    @Test
    void open_ofAPathThatNamesNoData_isRefused() {
        OPENERS.forEach((name, opener) -> {
            for (Path path : odd) {
                if (path.getNameCount() == 0
                        && List.of("records", "text", "jsonl", "npy", "idx", "tar", "images")
                                .contains(name)) {
                    continue; // the whole machine is data, and large
                }
                assertThatThrownBy(() -> opener.accept(path))
                        .as("%s of %s", name, path)
                        .isInstanceOfAny(DataException.class, IllegalArgumentException.class)
                        .message()
                        .isNotEmpty();
            }
        });
    }

    @Test
    void open_withPipesInPlaceOfWhatAnIndexKept_makesItAnew() throws IOException, InterruptedException {
        Path data = Files.write(temp.resolve("data.txt.gz"), UnpackerTest.gzip(new byte[] {'a', '\n'}));
        Path archive = Files.write(temp.resolve("data.tar"), tar());
        Path index = temp.resolve("index");
        FileStore store = FileStore.open(temp);
        Unpacker unpacker = Unpacker.into(index);
        unpacker.unpack(store, store.entry(data));
        TarShards.open(archive).files(index);
        try (var files = Files.list(index)) {
            for (Path file : files.toList()) {
                Files.delete(file);
                assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                        .isZero();
            }
        }

        StoreFile again = unpacker.unpack(store, store.entry(data));

        assertThat(again.read(0, 1).block().get(0)).isEqualTo((byte) 'a');
        assertThat(TarShards.damaged(index)).hasSize(1);
        assertThat(TarShards.open(archive).files(index).size()).isEqualTo(1);
        assertThat(TarShards.damaged(index)).isEmpty();
    }

    /** An archive of an empty file called {@code a}, in the oldest form. */
    private static byte[] tar() {
        byte[] archive = new byte[1536];
        String[] fields = {"a", "0000644", "00000000000", "00000000000", "        0"};
        int[] places = {0, 100, 124, 136, 148};
        for (int i = 0; i < fields.length; i++) {
            byte[] field = fields[i].getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(field, 0, archive, places[i], field.length);
        }
        int sum = 0;
        for (byte b : archive) {
            sum += b;
        }
        System.arraycopy("%06o\0".formatted(sum).getBytes(StandardCharsets.US_ASCII), 0, archive, 148, 7);
        return archive;
    }
}
