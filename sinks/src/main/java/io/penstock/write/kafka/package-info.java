/** Topics of Kafka that take samples, each once. Needs {@code org.apache.kafka:kafka-clients}. */
@NullMarked
package io.penstock.write.kafka;

import org.jspecify.annotations.NullMarked;
