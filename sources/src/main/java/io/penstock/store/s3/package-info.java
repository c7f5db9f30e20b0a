/** Stores in the buckets of S3 and of servers that speak its protocol. */
@NullMarked
package io.penstock.store.s3;

import org.jspecify.annotations.NullMarked;
