package io.penstock.programs;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.cache.Tier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Pipeline;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.random.RandomGenerator;

/** The names that snippets of the documentation use and do not declare. Snippets compile in a subclass. */
@SuppressWarnings("NullAway.Init") // nothing runs
abstract class Given {

    Tier tier;
    Dataset<Photo> photos;
    Pipeline<Photo> pipeline;
    Schema<Photo> schema;
    Sampler sampler;
    Path scratch;
    MeterRegistry registry;
    NDManager manager;

    record Photo(Tensor pixels, int label) {
        Photo flip(RandomGenerator random) {
            return random.nextBoolean() ? this : new Photo(pixels, label);
        }
    }

    record Features(Tensor values) {}

    abstract Features extract(Path path);

    abstract void train(NDList data);
}
