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

/**
 * The names that snippets of the documentation use and do not declare. Snippets compile in a subclass, which a class
 * loader of its own may load: so the names are its heirs'.
 */
@SuppressWarnings("NullAway.Init") // set by those who run a snippet
public abstract class Given {

    protected Tier tier;
    protected Dataset<Photo> photos;
    protected Pipeline<Photo> pipeline;
    protected Schema<Photo> schema;
    protected Sampler sampler;
    protected Path scratch;
    protected MeterRegistry registry;
    protected NDManager manager;

    public record Photo(Tensor pixels, int label) {
        public Photo flip(RandomGenerator random) {
            return random.nextBoolean() ? this : new Photo(pixels, label);
        }
    }

    public record Features(Tensor values) {}

    protected Features extract(Path path) {
        throw new UnsupportedOperationException("of " + path);
    }

    protected void train(NDList data) {
        throw new UnsupportedOperationException("of " + data);
    }
}
