/** {@code penstock spark-materialize}: a job on Apache Spark. */
@NullMarked
package io.penstock.spark;

import org.jspecify.annotations.NullMarked;
