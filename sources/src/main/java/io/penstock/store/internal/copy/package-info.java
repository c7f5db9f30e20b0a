/** Local copies of what lies elsewhere: made once, checked where they are read, made again where they are damaged. */
@NullMarked
package io.penstock.store.internal.copy;

import org.jspecify.annotations.NullMarked;
