/** Shared by stores and sources: file names and states, blocking reads, checksums of local copies, file patterns. */
@NullMarked
package io.penstock.store.internal;

import org.jspecify.annotations.NullMarked;
