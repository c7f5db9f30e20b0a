/** Made-up photographs, for those who have none at hand. */
@NullMarked
package io.penstock.pictures;

import org.jspecify.annotations.NullMarked;
