/**
 * Random augmentations of images: crop, resized crop, flip, colour jitter, erasing, and normalisation.
 *
 * <p>Images are tensors {@code [height, width, channels]}. Every transform is immutable, thread-safe, and takes its
 * randomness from the generator it is handed, always the same number of {@code nextLong} calls for one configuration. So
 * the result is a function of (image, draw): the same on every thread, rank, machine and Java version.
 *
 * <p>A chain in one pass over the pixels, from the source straight into one output array:
 * <pre>{@code
 * Augment augment = Augment.crop(200, 200).flip().jitter(0.4, 0.4, 0.4, 0.1).normalise(Normalise.imageNet());
 * images.augment(augment.name(), augment)
 * }</pre>
 *
 * <p>The pieces, one after another, which gives the same values through one array a piece:
 * <pre>{@code
 * images.augment("crop 200, flip", RandomCrop.of(200, 200).then(HorizontalFlip.of(0.5)))
 * }</pre>
 *
 * <p>A transform of one's own is a lambda, alone or in a chain; it must take its dice from {@code random} alone:
 * <pre>{@code
 * RandomTransform<Tensor> invert = (image, random) -> random.nextBoolean() ? Pixels.inverted(image) : image;
 * images.augment("crop 200, invert", RandomCrop.of(200, 200).then(invert))
 * }</pre>
 *
 * <p>Samples that are more than an image:
 * <pre>{@code
 * photos.augment(augment.name(), (photo, random) -> new Photo(augment.apply(photo.pixels(), random), photo.label()))
 * }</pre>
 *
 * <p>What was drawn can be seen, kept and applied again:
 * <pre>{@code
 * Augment.Parameters drawn = augment.draw(image.shape(), draw.random(augment.name()));
 * Tensor same = augment.apply(image, drawn);
 * }</pre>
 */
@NullMarked
package io.penstock.augment;

import org.jspecify.annotations.NullMarked;
