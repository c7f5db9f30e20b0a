/**
 * Topics of Kafka: a range of offsets is a {@link io.penstock.pipeline.Dataset}, and what comes is a {@code Flux} whose
 * offsets are committed behind closed batches. Needs {@code org.apache.kafka:kafka-clients}.
 */
@NullMarked
package io.penstock.kafka;

import org.jspecify.annotations.NullMarked;
