/** Where samples that failed are written down. */
@NullMarked
package io.penstock.quarantine;

import org.jspecify.annotations.NullMarked;
