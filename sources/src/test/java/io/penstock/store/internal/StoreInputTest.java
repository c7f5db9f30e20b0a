package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.store.ShortStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class StoreInputTest {

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static StoreInput input(ShortStore store, String key) {
        return StoreInput.of(store, Objects.requireNonNull(store.entry(key).block()));
    }

    @Test
    void read_fromFrontToBack_isEverythingInGrowingWindows() throws IOException {
        byte[] bytes = bytes(3_000_000);
        ShortStore store = new ShortStore().with("a", bytes);

        byte[] read = input(store, "a").readAllBytes();

        assertThat(read).isEqualTo(bytes);
        assertThat(store.asked())
                .startsWith("a 0 4096", "a 4096 8192", "a 12288 16384")
                .hasSizeLessThan(13);
    }

    @Test
    void seek_farAhead_readsLittle() throws IOException {
        byte[] bytes = bytes(100_000);
        ShortStore store = new ShortStore().with("a", bytes);
        StoreInput input = input(store, "a");

        byte[] first = input.readNBytes(10);
        input.seek(90_000);
        byte[] second = input.readNBytes(10);

        assertThat(first).isEqualTo(Arrays.copyOf(bytes, 10));
        assertThat(second).isEqualTo(Arrays.copyOfRange(bytes, 90_000, 90_010));
        assertThat(store.asked()).isEqualTo(List.of("a 0 4096", "a 90000 4096"));
    }

    @Test
    void read_behindTheEnd_isTheEnd() {
        StoreInput input = input(new ShortStore().with("a", bytes(10)), "a");

        input.seek(1L << 40);

        assertThat(input.read()).isEqualTo(-1);
        assertThat(input.available()).isZero();
        assertThat(input.skip(5)).isZero();
    }

    @Test
    void read_changedFile_failsAsTheStoreDoes() {
        ShortStore store = new ShortStore().with("a", bytes(10_000));
        StoreInput input = input(store, "a");
        store.version(2);

        assertThatThrownBy(input::read).isInstanceOf(StoreException.class).hasMessage("a changed since it was listed");
    }

    @Property(tries = 50)
    void seek_anywhere_readsWhatLiesThere(
            @ForAll @Size(max = 20) List<@IntRange(max = 20_000) Integer> places,
            @ForAll @IntRange(max = 9000) int count)
            throws IOException {
        byte[] bytes = bytes(17_000);
        StoreInput input = input(new ShortStore().with("a", bytes), "a");

        for (int place : places) {
            input.seek(place);
            byte[] read = input.readNBytes(count);
            assertThat(read)
                    .isEqualTo(Arrays.copyOfRange(
                            bytes, Math.min(place, bytes.length), Math.min(place + count, bytes.length)));
        }
    }
}
