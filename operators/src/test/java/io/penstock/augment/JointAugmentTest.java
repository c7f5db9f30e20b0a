package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Boxes;
import io.penstock.vision.Dense;
import io.penstock.vision.KeyPoints;
import io.penstock.vision.Mask;
import io.penstock.vision.Part;
import io.penstock.vision.Pixels;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JointAugmentTest {

    record Street(Pixels pixels, Mask mask, Boxes boxes, int city) {}

    record Pose(Pixels pixels, Boxes boxes, KeyPoints points, Dense depth) {}

    private static Street street(int height, int width, float... corners) {
        byte[] classes = new byte[height * width];
        for (int i = 0; i < classes.length; i++) {
            classes[i] = (byte) (i % 7 == 0 ? 9 : 0);
        }
        int[] numbers = IntStream.range(0, corners.length / 4).toArray();
        return new Street(
                new Pixels(TestImages.noise(DType.U8, height, width, 3, 1)),
                new Mask(Tensor.ofBytes(classes, height, width)),
                Boxes.of(corners, numbers),
                7);
    }

    private static Augment.Parameters region(int top, int left, int height, int width, boolean flipped) {
        return new Augment.Parameters(
                new Region(top, left, height, width), flipped, List.of(), Colour.UNCHANGED, RandomErasing.Erasure.NONE);
    }

    @Test
    void pixels_ofASampleOfParts_areThoseOfTheAugmentationAlone() {
        Street street = street(40, 60, 0, 0, 10, 10);
        Augment augment = Augment.resizedCrop(32, 24).flip().jitter(0.4, 0.4, 0.4, 0.1);
        JointAugment<Street> joint = augment.over(Street.class);

        Street moved = joint.apply(street, TestImages.dice(3));

        assertThat(joint.name()).isEqualTo(augment.name());
        assertThat(moved.pixels().tensor())
                .isEqualTo(augment.apply(street.pixels().tensor(), TestImages.dice(3)));
        assertThat(moved.mask().tensor().shape()).isEqualTo(Shape.of(32, 24));
        assertThat(moved.city()).isEqualTo(7);
    }

    @Test
    void boxes_ofACrop_areClippedAndDroppedByTheirRules() {
        Street street = street(20, 20, 5, 5, 15, 15, 0, 0, 6, 6, 0, 0, 4, 4, 10, 10, 10, 12);
        Augment augment = Augment.crop(10, 10).flip();

        Street all = augment.over(Street.class).apply(street, region(5, 5, 10, 10, false));
        Street flipped = augment.over(Street.class).apply(street, region(5, 4, 10, 10, true));
        Street most = augment.boxes(0.5, 0).over(Street.class).apply(street, region(5, 5, 10, 10, false));
        Street large = augment.boxes(0, 2).over(Street.class).apply(street, region(5, 5, 10, 10, false));

        assertThat(all.boxes()).isEqualTo(Boxes.of(new float[] {0, 0, 10, 10, 0, 0, 1, 1}, new int[] {0, 1}));
        assertThat(flipped.boxes()).isEqualTo(Boxes.of(new float[] {0, 0, 9, 10, 8, 0, 10, 1}, new int[] {0, 1}));
        assertThat(most.boxes()).isEqualTo(Boxes.of(new float[] {0, 0, 10, 10}, new int[] {0}));
        assertThat(large.boxes()).isEqualTo(Boxes.of(new float[] {0, 0, 10, 10}, new int[] {0}));
    }

    @Test
    void moves_ofBoxes_sayWhatEachBecame() {
        Street street = street(20, 20, 5, 5, 15, 15, 0, 0, 4, 4);
        JointAugment<Street> joint = Augment.crop(10, 10).over(Street.class);

        List<BoxMove> moves = joint.boxes(street, region(5, 8, 10, 10, false));

        assertThat(moves)
                .map(BoxMove::toString)
                .containsExactly(
                        "[5.0, 5.0, 15.0, 15.0] to [0.0, 0.0, 7.0, 10.0], 0.70 visible",
                        "[0.0, 0.0, 4.0, 4.0] to dropped, 0.00 visible");
    }

    @Test
    void keyPoints_thatLeave_areMarkedAndGoWithTheirBoxes() {
        Pose pose = new Pose(
                new Pixels(TestImages.noise(DType.U8, 20, 20, 3, 1)),
                Boxes.of(new float[] {0, 0, 3, 3, 6, 6, 18, 18}, new int[] {1, 2}),
                new KeyPoints(Tensor.ofFloats(new float[] {1, 1, 2, 2, 2, 2, 7, 7, 2, 17, 9, 1}, 2, 2, 3)),
                new Dense(TestImages.noise(DType.F32, 20, 20, 1, 5).reshape(Shape.of(20, 20))));

        Pose moved = Augment.crop(10, 10).over(Pose.class).apply(pose, region(5, 5, 10, 10, false));

        assertThat(moved.boxes().classes().toIntArray()).containsExactly(2);
        assertThat(moved.points().tensor()).isEqualTo(Tensor.ofFloats(new float[] {2, 2, 2, 12, 4, 0}, 1, 2, 3));
        assertThat(moved.depth().tensor().floatAt(0))
                .isEqualTo(pose.depth().tensor().floatAt(5 * 20 + 5));
    }

    @Test
    void mask_outsideThePicture_isOfTheGivenClass() {
        Augment padded = Augment.crop(RandomCrop.of(4, 4).padding(2)).maskFill(255);

        Street moved = padded.over(Street.class).apply(street(4, 4), region(-2, -2, 4, 4, false));

        assertThat(moved.mask().tensor())
                .isEqualTo(
                        Tensor.ofBytes(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 9, 0, -1, -1, 0, 0}, 4, 4));
        assertThat(AugmentSpec.parse(padded.name()).name())
                .isEqualTo(padded.name())
                .isEqualTo("crop=4:pad=2,mask=255");
        assertThat(AugmentSpec.parse("whole,boxes=0.25:area=16,dense=linear").name())
                .isEqualTo("whole,boxes=0.25:area=16,dense=linear");
    }

    @Test
    void masksAndDepth_ofAnyType_areCutRowByRow() {
        Augment cut = Augment.crop(2, 3).flip();
        for (DType dtype : new DType[] {DType.U8, DType.U16, DType.I32, DType.F64}) {
            ByteBuffer cells = ByteBuffer.allocate(4 * 5 * 2 * dtype.bytes());
            for (int i = 0; i < cells.capacity(); i++) {
                cells.put(i, (byte) i);
            }
            Tensor depth = Tensor.of(dtype, Shape.of(4, 5, 2), cells);
            Tensor mask = Tensor.of(dtype, Shape.of(4, 5), cells.slice(0, cells.capacity() / 2));
            Pixels picture = new Pixels(Tensor.ofBytes(new byte[4 * 5 * 3], 4, 5, 3));

            List<Part> moved = cut.apply(List.of(picture, new Mask(mask), new Dense(depth)), region(1, 2, 2, 3, true));

            for (int y = 0; y < 2; y++) {
                for (int x = 0; x < 3; x++) {
                    assertThat(((Mask) moved.get(1)).tensor().row(y).row(x))
                            .isEqualTo(mask.row(1 + y).row(4 - x));
                    assertThat(((Dense) moved.get(2)).tensor().row(y).row(x))
                            .isEqualTo(depth.row(1 + y).row(4 - x));
                }
            }
        }
    }

    @Test
    void records_withParts_areLaidOutAsTheirTensors() {
        Schema<Street> schema = Schema.of(Street.class);
        Street street = street(4, 5, 0, 0, 1, 1);
        ByteBuffer bytes = ByteBuffer.allocate(schema.encode(street).length());
        schema.encode(street).copyTo(bytes, 0);

        assertThat(schema.names()).containsExactly("pixels", "mask", "boxes.corners", "boxes.classes", "city");
        assertThat(schema.unflatten(schema.flatten(street))).isEqualTo(street);
        assertThat(schema.decode(bytes)).isEqualTo(street);
    }

    @Test
    void parts_thatDoNotFit_areRefused() {
        JointAugment<Street> joint = Augment.crop(4, 4).over(Street.class);
        Street turned = street(8, 8, 3, 3, 1, 1);
        Street other = new Street(
                turned.pixels(), new Mask(Tensor.ofBytes(new byte[4], 2, 2)), Boxes.of(new float[0], new int[0]), 0);

        assertThatThrownBy(() -> joint.apply(turned, TestImages.dice(0)))
                .hasMessage("box 0 of 1 must have x1 <= x2 and y1 <= y2, was [3.0, 3.0, 1.0, 1.0]");
        assertThatThrownBy(() -> joint.apply(other, TestImages.dice(0)))
                .hasMessage("a mask of u8[2, 2] lies beside a picture of 8 × 8; bring both to one size first");
        assertThatThrownBy(() -> Augment.whole().over(TestRecord.class))
                .hasMessageStartingWith("record TestRecord has no part of a picture");
    }

    record TestRecord(int x) {}
}
