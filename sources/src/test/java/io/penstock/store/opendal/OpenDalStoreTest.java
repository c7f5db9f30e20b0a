package io.penstock.store.opendal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

class OpenDalStoreTest {

    private static final int OBJECTS = 20;

    @SuppressWarnings("NullAway.Init")
    private CloudServer server;

    @BeforeEach
    void start() throws IOException {
        server = CloudServer.start();
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static List<StoreEntry> list(Store store) {
        List<StoreEntry> entries = new ArrayList<>();
        store.list((key, size, version) -> entries.add(new StoreEntry(key, size, version)));
        return entries;
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void faultsThatPass_areAskedAgain(CloudServer.Fault fault) {
        for (int i = 0; i < OBJECTS; i++) {
            server.put("set/%02d".formatted(i), new byte[] {(byte) i, 1, 2, 3});
        }
        server.faults(number -> number % 5 == 2 ? fault : CloudServer.Fault.NONE);

        try (OpenDalStore store = OpenDalStore.at(server.webdav())) {
            Map<String, ByteBuffer> read = Flux.fromIterable(list(store))
                    .flatMap(entry -> store.read(entry).map(bytes -> Map.entry(entry.key(), bytes)))
                    .collectMap(Map.Entry::getKey, Map.Entry::getValue)
                    .block();

            assertThat(read).hasSize(OBJECTS);
            read.forEach((key, bytes) ->
                    assertThat(bytes).isEqualTo(ByteBuffer.wrap(new byte[] {Byte.parseByte(key), 1, 2, 3})));
        }
    }

    @Tag("endurance")
    @Test
    void faultsThatStay_endWithThePlaceAndTheReason() {
        server.put("set/a", new byte[3]);
        try (OpenDalStore store = OpenDalStore.at(server.webdav())) {
            server.faults(number -> CloudServer.Fault.INTERNAL);

            assertThatThrownBy(() -> store.entry("a").block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContainingAll("cannot look at webdav://" + server.host() + "/set/a", "status 500");
        }
    }

    @Test
    void refusals_areNotAskedAgain() {
        server.put("set/a/b", new byte[3]);
        try (OpenDalStore store = OpenDalStore.at(server.webdav())) {
            assertThatThrownBy(() -> store.read(new StoreEntry("a", 3, 1)).block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("status 405");
        }
        assertThat(server.requests).hasValue(1);
    }

    @Test
    void read_ofASmallObjectWithADigestThatWasListed_isOneRequest() {
        server.put("set/a", new byte[] {1, 2, 3});
        server.put("set/b", new byte[] {4, 5, 6});
        try (OpenDalStore store = OpenDalStore.at(server.gcs())) {
            List<StoreEntry> entries = list(store);
            int before = server.requests.get();

            assertThat(store.read(entries.get(0)).block()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            assertThat(server.requests).hasValue(before + 1);
            server.put("set/b", new byte[] {7, 8, 9});
            assertThatThrownBy(() -> store.read(entries.get(1)).block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("is not as it was listed");
        }
    }

    @Test
    void list_visitsFoldersThatTheVisitorWants() {
        for (String key : List.of("set/a/1", "set/a/b/2", "set/.hidden/3", "set/4", "other/5")) {
            server.put(key, new byte[1]);
        }
        for (CloudAddress address : List.of(server.webdav(), server.webhdfs(), server.gcs())) {
            try (OpenDalStore store = OpenDalStore.at(address)) {
                TreeSet<String> keys = new TreeSet<>();
                store.list(new Store.Visitor() {
                    @Override
                    public boolean folder(String key) {
                        return !key.startsWith(".");
                    }

                    @Override
                    public void file(String key, long size, long version) {
                        keys.add(key);
                    }
                });

                assertThat(keys).as(address.scheme()).containsExactly("4", "a/1", "a/b/2");
            }
        }
    }

    @Test
    void list_ofWhatIsNotThere_isEmptyOrRefused() {
        try (OpenDalStore store = OpenDalStore.at(server.webdav())) {
            assertThat(list(store)).isEmpty();
        }
    }

    @Test
    void cancelledRead_deliversNothingLater() throws InterruptedException {
        server.put("set/a", new byte[3]);
        try (OpenDalStore store = OpenDalStore.at(server.webdav())) {
            StoreEntry entry = list(store).get(0);
            AtomicInteger told = new AtomicInteger();
            for (int i = 0; i < OBJECTS; i++) {
                store.read(entry).subscribe(bytes -> told.incrementAndGet()).dispose();
            }
            assertThat(store.read(entry).block()).isEqualTo(ByteBuffer.allocate(3)); // the others were asked before

            assertThat(told).hasValue(0);
        }
    }

    @Test
    @SuppressWarnings("ByteBufferBackingArray") // the array is what may be kept
    void bytesThatNobodyHolds_areCollected() {
        server.put("set/a", new byte[3]);
        try (OpenDalStore store = OpenDalStore.at(server.webdav())) {
            StoreEntry entry = list(store).get(0);
            List<WeakReference<byte[]>> read = Flux.range(0, OBJECTS)
                    .concatMap(i -> store.read(entry).map(bytes -> new WeakReference<>(bytes.array())))
                    .collectList()
                    .block();
            for (int i = 0; i < OBJECTS && read.stream().anyMatch(each -> each.get() != null); i++) {
                System.gc();
            }

            assertThat(read).hasSize(OBJECTS).allMatch(each -> each.get() == null);
        }
    }
}
