/** A store whose entries are copied to a local directory when they are first used. */
@NullMarked
package io.penstock.store.mirror;

import org.jspecify.annotations.NullMarked;
