/** What processes of one machine share. */
@NullMarked
package io.penstock.node;

import org.jspecify.annotations.NullMarked;
