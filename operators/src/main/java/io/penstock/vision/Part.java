package io.penstock.vision;

/** A part of a sample that augmentation moves: all parts of one sample by the same draw, each by its own rule. */
public sealed interface Part permits Pixels, Mask, Dense, Boxes, KeyPoints {}
