/** {@code penstock bench}: runs benchmarks in processes of their own, and prints and keeps what they find. */
@NullMarked
package io.penstock.bench.command;

import org.jspecify.annotations.NullMarked;
