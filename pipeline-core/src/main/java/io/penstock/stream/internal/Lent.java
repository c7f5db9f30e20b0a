package io.penstock.stream.internal;

import io.penstock.order.Position;
import io.penstock.stream.Sample;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A stream whose samples may be views of mapped files, for a subscriber that copies each at once and asks {@code lost}
 * before it believes the copies.
 * @param samples the stream from a position on; from its start for null
 * @param lost changes when a view could not be read
 */
public record Lent<T>(Function<@Nullable Position, Flux<Sample<T>>> samples, LongSupplier lost) {}
