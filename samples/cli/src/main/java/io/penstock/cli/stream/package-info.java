/** {@code penstock stream}: runs the pipeline that flags describe. */
@NullMarked
package io.penstock.cli.stream;

import org.jspecify.annotations.NullMarked;
