/** Which samples of a dataset are kept, as numbers: ranges, lists and bits with rank and select. */
@org.jspecify.annotations.NullMarked
package io.penstock.internal.index;
