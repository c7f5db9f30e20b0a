/** Penstock in Kotlin and in Spring Boot. */
@NullMarked
package io.penstock.shops;

import org.jspecify.annotations.NullMarked;
