package io.penstock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.Dataset;
import io.penstock.testkit.DatasetKit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

class ListedDatasetTest extends DatasetKit<String> {

    private final List<Name> names = new ArrayList<>(List.of(new Name(7, 1), new Name(3, 1), new Name(9, 1)));

    private record Name(int id, int version) {

        String sample() {
            return "sample %d of version %d".formatted(id, version);
        }
    }

    @Override
    protected Dataset<String> open() {
        return ListedDataset.of("shelf", names, Name::sample);
    }

    @Override
    protected String expected(long index) {
        return names.get((int) index).sample();
    }

    @Override
    protected void change(long index) {
        Name old = names.get((int) index);
        names.set((int) index, new Name(old.id, old.version + 1));
    }

    @Test
    void of_listChangedLater_keepsItsNames() {
        Dataset<String> dataset = open();

        names.clear();

        assertThat(dataset.size()).isEqualTo(3);
        StepVerifier.create(dataset.get(1)).expectNext("sample 3 of version 1").verifyComplete();
    }

    @Test
    void get_loadsWhenAskedFor_onAThreadThatMayBlock() {
        AtomicInteger loads = new AtomicInteger();
        Dataset<String> dataset = ListedDataset.of("shelf", names, name -> {
            loads.incrementAndGet();
            return Thread.currentThread().getName();
        });

        StepVerifier.create(dataset.get(0), 0)
                .then(() -> assertThat(loads.get()).isLessThanOrEqualTo(1))
                .thenRequest(1)
                .assertNext(thread -> assertThat(thread).startsWith("boundedElastic"))
                .verifyComplete();

        assertThat(loads).hasValue(1);
    }

    @Test
    void get_loadThatFails_isAnError() {
        Dataset<String> dataset = ListedDataset.of("shelf", names, name -> {
            throw new IOException("closed");
        });

        StepVerifier.create(dataset.get(2)).verifyErrorMessage("closed");
    }

    @Test
    void id_isMadeOfPlaceAndName() {
        Dataset<String> here = open();
        Dataset<String> there = ListedDataset.of("other shelf", names, Name::sample);

        assertThat(here.id(0).name()).isEqualTo("Name[id=7, version=1]");
        assertThat(here.id(0).state()).containsExactly("in shelf", "Name[id=7, version=1]");
        assertThat(here.id(0).key()).isNotEqualTo(there.id(0).key());
        assertThat(here.fingerprint()).isNotEqualTo(there.fingerprint());
    }
}
