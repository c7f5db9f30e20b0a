/** What tiers and pipelines count, for Micrometer. Needs {@code io.micrometer:micrometer-core} on the class path. */
@NullMarked
package io.penstock.metrics;

import org.jspecify.annotations.NullMarked;
