/**
 * Random augmentations of images: crop, resized crop, flip, colour jitter, erasing, and normalisation.
 *
 * <p>Images are tensors {@code [height, width, channels]}. Every transform is immutable and thread-safe. It takes its
 * random numbers from the given generator, with a number of {@code nextLong} calls that depends on its configuration
 * alone. So the result is a function of (image, draw): the same on every thread, rank, machine and Java version.
 *
 * <p>A chain in one pass over the pixels, from the source to one output array:
 * <pre>{@code
 * Augment augment = Augment.crop(200, 200).flip().jitter(0.4, 0.4, 0.4, 0.1).normalise(Normalise.imageNet());
 * images.augment(augment.name(), augment)
 * }</pre>
 *
 * <p>Separate transforms give the same values, with one array each:
 * <pre>{@code
 * images.augment("crop 200, flip", RandomCrop.of(200, 200).then(HorizontalFlip.of(0.5)))
 * }</pre>
 *
 * <p>Your own transform is a lambda, alone or in a chain. It must take random numbers from {@code random} only:
 * <pre>{@code
 * RandomTransform<Tensor> invert = (image, random) -> random.nextBoolean() ? inverted(image) : image;
 * images.augment("crop 200, invert", RandomCrop.of(200, 200).then(invert))
 * }</pre>
 *
 * <p>Samples with more than an image:
 * <pre>{@code
 * photos.augment(augment.name(), (photo, random) -> new Photo(augment.apply(photo.pixels(), random), photo.label()))
 * }</pre>
 *
 * <p>The parameters can be inspected, kept and applied again:
 * <pre>{@code
 * Augment.Parameters drawn = augment.draw(image.shape(), draw.random(augment.name()));
 * Tensor same = augment.apply(image, drawn);
 * }</pre>
 */
@NullMarked
package io.penstock.augment;

import org.jspecify.annotations.NullMarked;
