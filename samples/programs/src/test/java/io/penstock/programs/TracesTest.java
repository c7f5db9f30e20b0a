package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.penstock.batch.Batches;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.write.ShardJob;
import io.penstock.write.TarWriter;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** The observations of docs/metrics.md. */
class TracesTest {

    @TempDir
    private Path folder;

    @Test
    void observe_countsAStreamItsEpochsAndAJob() throws Exception {
        Path page = Path.of(System.getProperty("penstock.root"), "docs", "metrics.md");
        Object program = new Snippets(folder).instance(Document.read(page).snippets());
        Method observe =
                program.getClass().getDeclaredMethod("observe", ObservationRegistry.class, Flux.class, ShardJob.class);
        observe.setAccessible(true);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        Schema<Given.Photo> schema = Schema.of(Given.Photo.class);
        Dataset<Given.Photo> photos = MemoryDataset.generate(
                "photos", 10, index -> new Given.Photo(Tensor.ofBytes(new byte[12], 2, 2, 3), (int) index));

        observe.invoke(
                program,
                observations,
                photos.stream(Sampler.shuffled(1).epochs(3)).transform(Batches.of(4, schema)),
                ShardJob.of(photos, TarWriter.of(schema), folder.resolve("shards"), 5));

        Map<String, Long> stopped = meters.getMeters().stream()
                .filter(Timer.class::isInstance)
                .collect(Collectors.toMap(meter -> meter.getId().getName(), meter -> ((Timer) meter).count()));
        assertThat(stopped).isEqualTo(Map.of("penstock.stream", 1L, "penstock.stream.epoch", 3L, "penstock.job", 1L));
    }
}
