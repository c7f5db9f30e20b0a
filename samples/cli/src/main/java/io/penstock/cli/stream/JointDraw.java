package io.penstock.cli.stream;

import io.penstock.augment.Augment;
import io.penstock.augment.BoxMove;
import java.util.List;

/** What was drawn for a sample of several parts, and what its boxes became by it. */
public record JointDraw(Augment.Parameters parameters, List<BoxMove> boxes) {}
