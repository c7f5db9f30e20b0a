package io.penstock.store.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.penstock.fault.StoreException;
import io.penstock.store.FileStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MirrorDirectoryTest {

    @TempDir
    private Path folder;

    private Path directory;

    @BeforeEach
    void copyTwoSources() throws IOException {
        directory = folder.resolve("mirror");
        for (String name : List.of("one", "two")) {
            Path source = Files.createDirectory(folder.resolve(name));
            Files.write(source.resolve("a.bin"), new byte[1000]);
            Files.write(source.resolve("b.bin"), new byte[50]);
        }
        read(mirror("one"), "a.bin");
        read(mirror("one"), "b.bin");
        read(mirror("two"), "a.bin");
    }

    private MirroredStore mirror(String source) {
        return MirroredStore.of(FileStore.open(folder.resolve(source)), directory);
    }

    private static ByteBuffer read(MirroredStore mirror, String key) {
        try (mirror) {
            return read((Store) mirror, key);
        }
    }

    private static ByteBuffer read(Store store, String key) {
        StoreEntry entry = store.entry(key).block();
        return store.read(entry).block();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> Files.isRegularFile(file)
                            && !file.getFileName().toString().startsWith("."))
                    .toList();
        }
    }

    @Test
    void sources_areCountedEach() {
        List<MirrorDirectory.Held> held = MirrorDirectory.at(directory).sources();

        assertThat(held)
                .extracting(MirrorDirectory.Held::copies, MirrorDirectory.Held::bytes)
                .containsExactlyInAnyOrder(tuple(2L, 1050L), tuple(1L, 1000L));
        assertThat(MirrorDirectory.at(directory).damaged()).isEmpty();
    }

    @Test
    void clear_whileAMirrorIsOpen_leavesOtherFilesAndItCopiesAgain() throws IOException {
        Path other = Files.writeString(directory.resolve("mine.txt"), "mine");
        try (MirroredStore open = mirror("one")) {
            read((Store) open, "a.bin");

            MirrorDirectory.at(directory).clear();

            assertThat(files()).containsExactly(other);
            assertThat(read((Store) open, "a.bin").remaining()).isEqualTo(1000);
            assertThat(open.copied()).isEqualTo(1);
            assertThat(MirrorDirectory.at(directory).sources()).hasSize(1);
        }
    }

    @Test
    void maxFreeShare_ofNearlyNothing_copiesNothing() throws IOException {
        MirrorDirectory.at(directory).clear();
        MirroredStore none = mirror("one").maxFreeShare(1e-15);

        assertThat(read(none, "a.bin").remaining()).isEqualTo(1000);
        assertThat(none.copied()).isZero();
        MirroredStore half = mirror("one").maxFreeShare(0.5);
        assertThat(read(half, "a.bin").remaining()).isEqualTo(1000);
        assertThat(half.copied()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.5, 1.01, Double.NaN})
    void maxFreeShare_outOfRange_isRefused(double share) {
        assertThatThrownBy(() -> mirror("one").maxFreeShare(share))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be in (0, 1]");
    }

    @Test
    void at_anotherFolder_isRefused() {
        assertThat(MirrorDirectory.isOne(folder)).isFalse();
        assertThatThrownBy(() -> MirrorDirectory.at(folder))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("is not the folder of a mirror");
    }
}
