/** {@code penstock cache}: looks into a cache on disk, fills it, checks it and clears it. */
@NullMarked
package io.penstock.cli.cache;

import org.jspecify.annotations.NullMarked;
