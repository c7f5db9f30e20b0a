package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

class MemoryStoreTest {

    private final byte[] bytes = {1, 2, 3};
    private final MemoryStore store = MemoryStore.of("m", Map.of("a/b", bytes, "c", new byte[0]));

    @Test
    void read_ofAnEntry_isACopyWithAnArrayOfItsSize() {
        StoreEntry entry = Objects.requireNonNull(store.entry("a/b").block());
        bytes[0] = 9;

        ByteBuffer first = Objects.requireNonNull(store.read(entry).block());
        first.put(1, (byte) 9);

        StepVerifier.create(store.read(entry), 0)
                .expectSubscription()
                .thenRequest(1)
                .expectNext(ByteBuffer.wrap(new byte[] {1, 2, 3}))
                .verifyComplete();
        assertThat(first.capacity()).isEqualTo(3);
        assertThat(store.read(entry, 1, 2).block()).isEqualTo(ByteBuffer.wrap(new byte[] {2, 3}));
        assertThatThrownBy(() -> store.read(entry, 2, 2)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void find_missingOrTooLarge_isEmptyOrRefused() {
        StepVerifier.create(store.find("x", 10)).verifyComplete();
        StepVerifier.create(store.entry("x")).verifyComplete();
        StepVerifier.create(store.find("a/b", 2))
                .verifyErrorMatches(
                        e -> e instanceof StoreException && e.getMessage().contains("at most 2 bytes"));
    }

    @Test
    void list_tellsAll_withVersionsThatFollowTheBytes() {
        Map<String, Long> first = new TreeMap<>();
        Map<String, Long> second = new TreeMap<>();

        store.list((key, size, version) -> first.put(key, version));
        MemoryStore.of("m", Map.of("a/b", new byte[] {1, 2, 4}, "c", new byte[0]))
                .list((key, size, version) -> second.put(key, version));

        assertThat(first).containsOnlyKeys("a/b", "c");
        assertThat(second.get("c")).isEqualTo(first.get("c"));
        assertThat(second.get("a/b")).isNotEqualTo(first.get("a/b"));
    }

    @Test
    void read_entryOfAnotherState_isRefused() {
        StoreEntry other = new StoreEntry("a/b", 3, 0);

        assertThatThrownBy(() -> store.read(other).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("a/b in memory:m is not as it was listed");
    }
}
