package io.penstock.cli.stream;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.batch.mix.MapBatch;
import io.penstock.cli.cache.LastWrites;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Pipeline;
import io.penstock.resume.ResumeToken;
import io.penstock.stream.Sample;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;

/**
 * A pipeline that is open, with its order.
 *
 * @param pipeline all stages of the feed, and what becomes of failures
 * @param loads    the samples of an order, loaded ahead
 * @param words    what else the bytes of its batches depend on, by name
 * @param token    of the start
 * @param meters   null if none were asked for
 * @param ofTable  whether a source is a table
 * @param writes   to the cache on disk
 * @param closing  what is to be done at its end, in this order
 */
public record Run<T>(
        Feed<T> feed,
        Pipeline<T> pipeline,
        Sampler sampler,
        Function<Sampler, Flux<Sample<T>>> loads,
        BatchFlags batching,
        Map<String, String> words,
        ResumeToken token,
        RunFacts facts,
        @Nullable RunMeters meters,
        boolean ofTable,
        LastWrites writes,
        List<Runnable> closing)
        implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Run.class);
    private static final Pattern FIELD = Pattern.compile("^cannot batch field \"(.*?)\"");
    private static final Pattern SAMPLE = Pattern.compile("\\bsample (\\d+) is");

    public long samplesAnEpoch() {
        return sampler.samples(pipeline.size());
    }

    /** How samples are stacked, for one subscription. */
    public Batches<T> batches() {
        return batching.of(feed.rows());
    }

    /** The batches of a sampler, with what is mixed within them. */
    public Flux<Batch> mixed(Flux<Batch> batches, Sampler of) {
        Flux<Batch> mixed = batches;
        for (MixWord mixing : mixing()) {
            mixed = mixed.transform(MapBatch.of(mixing.text(), of, mixing.transform()));
        }
        return mixed;
    }

    /** What is drawn for each row of a batch as it is mixed, by the words for it. */
    public Map<String, List<? extends Record>> drawn(int rows, long epoch, Position next) {
        Map<String, List<? extends Record>> drawn = new LinkedHashMap<>();
        for (MixWord mixing : mixing()) {
            MapBatch stage = MapBatch.of(mixing.text(), sampler, mixing.transform());
            drawn.put(mixing.text(), mixing.draws().apply(rows, stage.random(epoch, next)));
        }
        return drawn;
    }

    private List<MixWord> mixing() {
        return batching.mixing(feed.rows().schema().names());
    }

    /** The batches, with the consumer's waits among the meters, if they were asked for. */
    public Flux<Batch> measured(Flux<Batch> batches) {
        return named(meters == null ? batches : meters.measure(batches));
    }

    /** One batch that was asked for by its number, with the time it takes among the meters. */
    public Flux<Batch> measuredNumbered(Flux<Batch> batch) {
        return named(meters == null ? batch : meters.consumer.measureNumbered(batch));
    }

    private Flux<Batch> named(Flux<Batch> batches) {
        return batches.onErrorMap(IllegalArgumentException.class, this::named);
    }

    /** A refusal of a batch with the names of its samples and the flags that help. */
    private RuntimeException named(RuntimeException refusal) {
        String message = String.valueOf(refusal.getMessage());
        Matcher field = FIELD.matcher(message);
        if (!field.find()) {
            return refusal;
        }
        String named = SAMPLE.matcher(message)
                .replaceAll(sample -> Matcher.quoteReplacement("sample %s (%s) is"
                        .formatted(sample.group(1), pipeline.name(Long.parseLong(sample.group(1))))));
        String typed =
                ofTable ? ", or give a column of numbers its type, as in #%s:float".formatted(field.group(1)) : "";
        return new IllegalArgumentException(
                named.replace(", or give a column of numbers its type by TableOptions.type", typed), refusal);
    }

    /** Where the page of counts is, if one was asked for. */
    public @Nullable String metrics() {
        return meters == null ? null : meters.address();
    }

    public ResumeToken token(Position at) {
        return token.at(at);
    }

    /** Waits a moment until what goes to disk has been written, if anything does. */
    void awaitLastWrites() {
        if (!writes.await()) {
            LOG.warn("the disk cache had no time to write everything; the next run loads the rest again");
        }
    }

    @Override
    public void close() {
        closing.forEach(Runnable::run);
    }
}
