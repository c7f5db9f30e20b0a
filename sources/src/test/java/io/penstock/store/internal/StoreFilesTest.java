package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.folder.ImageFolder;
import io.penstock.records.RecordFiles;
import io.penstock.store.ShortStore;
import io.penstock.store.StoreEntry;
import io.penstock.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

class StoreFilesTest {

    private static final ShortStore STORE = new ShortStore()
            .with("b.bin", new byte[] {3, 4})
            .with("a/2.bin", new byte[] {2})
            .with("a/1.bin", new byte[] {1})
            .with("a/deep/1.bin", new byte[] {9})
            .with("cat/x.jpg", new byte[] {7})
            .with("dog/y.png", new byte[] {8, 8});

    private static List<String> keys(StoreFiles files) {
        return files.entries().stream().map(StoreEntry::key).toList();
    }

    @Test
    void of_patternOrKey_areTheFilesOfOneFolder() {
        assertThat(keys(StoreFiles.of("data", STORE, "a/*.bin"))).containsExactly("a/1.bin", "a/2.bin");
        assertThat(keys(StoreFiles.of("data", STORE, "*.bin"))).containsExactly("b.bin");
        assertThat(keys(StoreFiles.of("data", STORE, "a/deep/1.bin"))).containsExactly("a/deep/1.bin");
        assertThat(keys(StoreFiles.ofKeys("data", STORE, List.of("b.bin", "a/2.bin"))))
                .containsExactly("a/2.bin", "b.bin");
    }

    @Test
    void of_range_asksForEachNumber() {
        ShortStore store = new ShortStore()
                .with("s-09.tar", new byte[1])
                .with("s-10.tar", new byte[1])
                .with("s-11.tar", new byte[1]);

        assertThat(keys(StoreFiles.of("data", store, "s-{09..10}.tar"))).containsExactly("s-09.tar", "s-10.tar");
        assertThat(Braces.expand("a{8..10}b{0..1}")).containsExactly("a8b0", "a8b1", "a9b0", "a9b1", "a10b0", "a10b1");
        assertThatThrownBy(() -> StoreFiles.of("data", store, "s-{09..12}.tar"))
                .isInstanceOf(StoreException.class)
                .hasMessage("cannot read s-12.tar in short://store: no such file");
        assertThatThrownBy(() -> StoreFiles.of("data", store, "s-{0..999999}{0..9}"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> StoreFiles.of("data", store, "s-{5..4}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("range of names must go up, and be of at most 1000000: s-{5..4}");
    }

    @Test
    void of_nothing_saysWhatWasLookedFor() {
        assertThatThrownBy(() -> StoreFiles.of("data", STORE, "a/*.txt"))
                .isInstanceOf(StoreException.class)
                .hasMessage("no data in short://store: no file matches a/*.txt");
        assertThatThrownBy(() -> StoreFiles.of("data", STORE, "nowhere"))
                .isInstanceOf(StoreException.class)
                .hasMessage("cannot read nowhere in short://store: no such file");
        assertThatThrownBy(() -> StoreFiles.ofKeys("data", STORE, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name at least one file of data");
        assertThatThrownBy(() -> StoreFiles.ofKeys("data", STORE, List.of("b.bin", "b.bin")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a file of data is named twice: b.bin");
    }

    @Test
    void map_oneFileFails_failsSo() {
        StoreFiles files = StoreFiles.of("data", STORE, "a/*.bin");

        List<Integer> sizes = files.map(entry -> (int) entry.size());

        assertThat(sizes).containsExactly(1, 1);
        assertThatThrownBy(() -> files.map(entry -> {
                    throw new StoreException("no " + entry.key());
                }))
                .isInstanceOf(StoreException.class)
                .hasMessage("no a/1.bin");
    }

    @Test
    void records_overAStoreThatIsNoFolder_areItsBytes() {
        RecordFiles records = RecordFiles.open(STORE, List.of("b.bin", "a/1.bin"), 1);

        assertThat(records.size()).isEqualTo(3);
        assertThat(records.name(2)).isEqualTo("b.bin@1");
        StepVerifier.create(records.get(2), 0)
                .thenRequest(1)
                .expectNext(Tensor.ofBytes(new byte[] {4}))
                .verifyComplete();
        assertThat(RecordFiles.open(STORE, "a/*.bin", 1).size()).isEqualTo(2);
    }

    @Test
    void images_overAStoreThatIsNoFolder_haveItsClasses() {
        ImageFolder images = ImageFolder.open(STORE);

        assertThat(images.labels()).containsExactly("cat", "dog");
        StepVerifier.create(images.get(1))
                .assertNext(file -> {
                    assertThat(file.label()).isEqualTo(1);
                    assertThat(file.bytes()).isEqualTo(Tensor.ofBytes(new byte[] {8, 8}));
                })
                .verifyComplete();
    }
}
