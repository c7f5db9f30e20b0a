package io.penstock.programs;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.fit.Fit;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.table.Row;
import io.penstock.table.RowWindows;
import io.penstock.table.Table;
import io.penstock.tensor.Schema;
import java.util.Arrays;
import java.util.Objects;
import reactor.core.publisher.Flux;

/**
 * Forecasts a week of sales from the four weeks before, by a linear model over windows of a table. Windows to train with
 * end before a day, and those to validate by begin there; the statistics are those of the first alone.
 */
final class ForecastSales {

    static final int PAST = 28;
    static final int AHEAD = 7;

    private static final float RATE = 0.02f;

    private final Dataset<Row> training;
    private final Dataset<Row> validation;
    private final Schema<Row> schema;
    private final float[] weights = new float[(PAST + 1) * AHEAD];

    private ForecastSales(Dataset<Row> training, Dataset<Row> validation, Schema<Row> schema) {
        this.training = training;
        this.validation = validation;
        this.schema = schema;
    }

    /** Finds the windows and fits their numbers. Blocks. */
    static ForecastSales open(Table sales, long firstToValidate, Indexing indexing) {
        RowWindows windows = RowWindows.of(PAST)
                .horizon(AHEAD)
                .by("store")
                .order("day")
                .step(1)
                .features("sales")
                .target("sales");
        Schema<Row> schema = windows.schema();
        Dataset<Row> before = Objects.requireNonNull(
                windows.until(firstToValidate).over(sales, indexing).block());
        Dataset<Row> after = Objects.requireNonNull(
                windows.from(firstToValidate).over(sales, indexing).block());
        Fit fit = Objects.requireNonNull(Fit.of(before, schema, indexing).block());
        return new ForecastSales(
                fit.standardise(before, schema, "features", "target"),
                fit.standardise(after, schema, "features", "target"),
                schema);
    }

    long windows() {
        return training.size();
    }

    /** Learns from an order of the windows, and gives the position behind each step. */
    Flux<Position> train(Sampler sampler) {
        return training.stream(sampler)
                .transform(Batches.of(16, schema).remainder(Remainder.DROP))
                .map(batch -> {
                    try (batch) {
                        learn(batch);
                        return batch.next();
                    }
                });
    }

    private void learn(Batch batch) {
        float[] past = batch.tensor("features").toFloatArray();
        float[] target = batch.tensor("target").toFloatArray();
        int samples = target.length / AHEAD;
        float[] step = new float[weights.length];
        for (int sample = 0; sample < samples; sample++) {
            float[] inputs = inputs(past, sample);
            float[] forecast = forecast(inputs);
            for (int day = 0; day < AHEAD; day++) {
                float error = forecast[day] - target[sample * AHEAD + day];
                for (int i = 0; i < PAST; i++) {
                    step[i * AHEAD + day] += error * inputs[i];
                }
                step[PAST * AHEAD + day] += error;
            }
        }
        for (int i = 0; i < weights.length; i++) {
            weights[i] -= RATE / samples * step[i];
        }
    }

    /** The past of a sample less its mean, and behind it the mean. */
    private static float[] inputs(float[] past, int sample) {
        float[] inputs = Arrays.copyOfRange(past, sample * PAST, (sample + 1) * PAST + 1);
        float sum = 0;
        for (int i = 0; i < PAST; i++) {
            sum += inputs[i];
        }
        for (int i = 0; i < PAST; i++) {
            inputs[i] -= sum / PAST;
        }
        inputs[PAST] = sum / PAST;
        return inputs;
    }

    private float[] forecast(float[] inputs) {
        float[] forecast = new float[AHEAD];
        for (int day = 0; day < AHEAD; day++) {
            forecast[day] = inputs[PAST] + weights[PAST * AHEAD + day];
            for (int i = 0; i < PAST; i++) {
                forecast[day] += inputs[i] * weights[i * AHEAD + day];
            }
        }
        return forecast;
    }

    /** Mean absolute errors over the windows to validate by: of the model, of the last day, of the last week. */
    double[] errors() {
        double[] errors = new double[3];
        validation.stream(Sampler.sequential())
                .doOnNext(sample -> {
                    float[] past = sample.value().tensor("features").toFloatArray();
                    float[] target = sample.value().tensor("target").toFloatArray();
                    float[] forecast = forecast(inputs(past, 0));
                    for (int day = 0; day < AHEAD; day++) {
                        errors[0] += Math.abs(forecast[day] - target[day]);
                        errors[1] += Math.abs(past[PAST - 1] - target[day]);
                        errors[2] += Math.abs(past[PAST - AHEAD + day] - target[day]);
                    }
                })
                .blockLast();
        return Arrays.stream(errors)
                .map(error -> error / AHEAD / validation.size())
                .toArray();
    }

    float[] weights() {
        return weights.clone();
    }
}
