package io.penstock.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.Bench;
import io.penstock.bench.Benchmark;
import io.penstock.bench.Result;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrainedExperimentsTest {

    @TempDir
    private Path pictures;

    @ParameterizedTest
    @ValueSource(strings = {"train-epochs", "train-sweep"})
    void experiment_ofAFewPictures_learnsThem(String name) {
        PictureFolder.write(pictures, 16).blockLast();
        Bench bench = new Bench(true, pictures, text -> {});
        Benchmark experiment = ServiceLoader.load(Benchmark.Added.class)
                .findFirst()
                .flatMap(added -> added.benchmarks().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst())
                .orElseThrow();

        experiment.work().accept(bench);

        Map<String, Double> found = bench.results().stream().collect(Collectors.toMap(Result::what, Result::value));
        assertThat(found.get("loss of the last step")).isPositive().isLessThan(found.get("loss of the first step") / 2);
        assertThat(bench.charts()).isNotEmpty();
    }
}
