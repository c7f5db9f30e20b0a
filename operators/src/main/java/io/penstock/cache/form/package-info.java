/** The forms in which a cache keeps values besides the one that they are encoded in. */
@NullMarked
package io.penstock.cache.form;

import org.jspecify.annotations.NullMarked;
