package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.kryo.KryoCodec;
import io.penstock.programs.CacheBoxes.Box;
import io.penstock.programs.CacheBoxes.Picture;
import io.penstock.programs.CacheBoxes.Read;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheBoxesTest {

    @TempDir
    private Path folder;

    @BeforeEach
    void writeAnnotations() throws IOException {
        Files.writeString(folder.resolve("boxes.jsonl"), """
                {"image":"a.jpg","boxes":[{"label":"cell","x":1,"y":2,"width":30,"height":40},{"label":"plate","x":5}]}
                {"image":"b.jpg","boxes":[]}
                {"image":"c.jpg","boxes":[{"label":"cell","width":0.5}],"author":"not asked for"}
                """);
    }

    private Read read(int version) {
        return CacheBoxes.read(folder.resolve("boxes.jsonl"), folder.resolve("cache"), version);
    }

    @Test
    void secondRun_parsesNothing() {
        Read first = read(1);
        Read second = read(1);

        assertThat(first.parsed()).isEqualTo(3);
        assertThat(second.parsed()).isZero();
        assertThat(second.labels())
                .isEqualTo(first.labels())
                .containsEntry("cell", 2L)
                .containsEntry("plate", 1L);
        assertThat(second.changes()).isEmpty();
    }

    @Test
    void anotherVersion_parsesAgainAndSaysWhy() {
        read(1);

        Read changed = read(2);

        assertThat(changed.parsed()).isEqualTo(3);
        assertThat(changed.changes())
                .containsExactly("kept by [map parse boxes, version 1], wanted is [map parse boxes, version 2]");
        assertThat(read(2)).isEqualTo(new Read(changed.labels(), 0, List.of()));
    }

    @Test
    void class_thatIsNotRegistered_isRefusedByName() {
        Picture picture = new Picture("a.jpg", List.of(new Box("cell", 1, 2, 3, 4)));

        assertThatThrownBy(() -> KryoCodec.of(Picture.class).encode(picture))
                .hasMessageContaining(Box.class.getName() + " is not registered");
    }
}
