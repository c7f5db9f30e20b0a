package io.penstock.pipeline;

import io.penstock.cache.HitCheck;
import io.penstock.cache.Lookup;
import io.penstock.cache.SampleKey;
import io.penstock.fault.MismatchException;
import io.penstock.internal.Notice;
import io.penstock.internal.StageMeter;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.tensor.Codec;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** Loads some hits again and compares them; see {@link HitCheck}. */
final class HitVerifier<T> implements Lookup.Verifier<Draw, T> {

    private static final Logger LOG = LoggerFactory.getLogger(HitVerifier.class);
    private static final String NONE = "";

    final StageMeter verified = new StageMeter();
    final StageMeter differing = new StageMeter();
    private final HitCheck check;
    private final Stage<T> input;
    private final Codec<T> codec;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    HitVerifier(HitCheck check, Stage<T> input, Codec<T> codec) {
        this.check = check;
        this.input = input;
        this.codec = codec;
    }

    @Override
    public boolean picks(SampleKey key) {
        return check.picks(key);
    }

    /** The held value, once loading it again has given the same. */
    @Override
    public Mono<T> verified(T held, ByteBuffer bytes, Draw draw) {
        return input.load(draw)
                .flatMap(Thrown.function(again -> {
                    verified.count(draw);
                    // equal values may have several encodings, such as sets
                    boolean same = encoded(again).equals(bytes) || held.equals(again);
                    return same ? Mono.just(held) : differs(held, draw);
                }))
                .defaultIfEmpty(held);
    }

    private ByteBuffer encoded(T value) {
        return codec.encode(value).joined();
    }

    private Mono<T> differs(T held, Draw draw) {
        differing.count(draw);
        return NondeterministicStage.of(input, draw, this::encoded)
                .defaultIfEmpty(NONE)
                .flatMap(stage -> {
                    String message = "the cache holds another value of sample %d: %s than loading it again gives: %s"
                            .formatted(draw.index(), input.id(draw.index()).name(), reason(stage));
                    if (check.fails()) {
                        return Mono.error(new MismatchException(message));
                    }
                    if (warned.add(stage)) {
                        Notice.warn(LOG, "{} (said once; others are counted)", message);
                    }
                    return Mono.just(held);
                });
    }

    private String reason(String stage) {
        return stage.equals(NONE)
                ? ("every load now gives the same, so the source or one of the stages %s has changed and kept its name;"
                                + " give what changed another name, or clear the cache")
                        .formatted(input.stages().words())
                : ("stage \"%s\" is not deterministic: it gives different results for one and the same sample;"
                                + " make it depend on its input alone, or roll its dice behind the cache with augment")
                        .formatted(stage);
    }
}
