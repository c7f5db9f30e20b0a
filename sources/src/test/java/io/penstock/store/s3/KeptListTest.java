package io.penstock.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Fingerprint;
import io.penstock.store.StoreEntry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptListTest {

    private static final Fingerprint OF = Fingerprint.of("bucket", "prefix");
    private static final Fingerprint STATE = Fingerprint.of("page");

    @TempDir
    private Path folder;

    private List<StoreEntry> kept(Fingerprint state) {
        List<StoreEntry> told = new ArrayList<>();
        boolean known = new KeptList(folder, OF)
                .visit(state, (key, size, version) -> told.add(new StoreEntry(key, size, version)));
        assertThat(known).isEqualTo(!told.isEmpty());
        return told;
    }

    @Test
    void visit_pagesThatCameInAnyOrder_areInTheOrderOfTheirKeys() {
        List<StoreEntry> a = List.of(new StoreEntry("a/1", 1, -1), new StoreEntry("a/22", 1L << 40, 7));
        List<StoreEntry> b = List.of(new StoreEntry("b/é", 0, 0));
        List<StoreEntry> c = List.of(new StoreEntry("b/漢/x", 5, 6), new StoreEntry("b/漢/", 5, 6));
        KeptList list = new KeptList(folder, OF);
        List.of(c, a, List.<StoreEntry>of(), b).forEach(list::add);
        list.keep(STATE);

        List<StoreEntry> told = kept(STATE);

        assertThat(told).extracting(StoreEntry::key).containsExactly("a/1", "a/22", "b/é", "b/漢/x", "b/漢/");
        assertThat(told).containsAll(a).containsAll(b).containsAll(c);
    }

    @Test
    void visit_anotherStateOrPlace_tellsNothing() {
        KeptList list = new KeptList(folder, OF);
        list.add(List.of(new StoreEntry("a", 1, 2)));
        list.keep(STATE);

        assertThat(kept(Fingerprint.of("another page"))).isEmpty();
        assertThat(new KeptList(folder, STATE).visit(STATE, (key, size, version) -> {}))
                .isFalse();
        assertThat(kept(STATE)).hasSize(1);
    }
}
