/** Access control of the servers of this program; needs the JDK only. */
@NullMarked
package io.penstock.access;

import org.jspecify.annotations.NullMarked;
