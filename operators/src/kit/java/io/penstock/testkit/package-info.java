/** The laws of what users write themselves: tiers, codecs, stores and datasets. Extend a kit in a test. */
@NullMarked
package io.penstock.testkit;

import org.jspecify.annotations.NullMarked;
