/**
 * The parts of a sample that say what they are: a picture, a mask of classes, dense values, boxes, key points. Types of
 * their own, since a mask that is interpolated has classes that are not there: what would interpolate it takes no
 * {@link io.penstock.vision.Mask}.
 *
 * <p>Coordinates are in pixels, x to the right and y down, and continuous: pixel (0, 0) covers [0, 1) in both
 * directions, so the right border of a picture is x = width.
 */
@NullMarked
package io.penstock.vision;

import org.jspecify.annotations.NullMarked;
