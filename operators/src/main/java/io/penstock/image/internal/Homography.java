package io.penstock.image.internal;

/**
 * A map of the plane that keeps lines straight: {@code (x, y)} becomes {@code ((a x + b y + c) / q, (d x + e y + f) / q)}
 * with {@code q = g x + h y + i}. It is affine where g and h are 0 and i is 1.
 */
public record Homography(double a, double b, double c, double d, double e, double f, double g, double h, double i) {

    /** Moves nothing. */
    public static final Homography IDENTITY = affine(1, 0, 0, 0, 1, 0);

    public static Homography affine(double a, double b, double c, double d, double e, double f) {
        return new Homography(a, b, c, d, e, f, 0, 0, 1);
    }

    /**
     * The map of a rectangle at the origin to a quadrangle.
     * @param x of its corners: top left, top right, bottom right, bottom left
     * @see <a href="https://www.cs.cmu.edu/~ph/texfund/texfund.pdf">Heckbert, Fundamentals of texture mapping, 2.2.3</a>
     */
    public static Homography ofRectangle(double width, double height, double[] x, double[] y) {
        double sumX = x[0] - x[1] + x[2] - x[3];
        double sumY = y[0] - y[1] + y[2] - y[3];
        double rightX = x[1] - x[2];
        double rightY = y[1] - y[2];
        double leftX = x[3] - x[2];
        double leftY = y[3] - y[2];
        double area = rightX * leftY - leftX * rightY;
        double g = (sumX * leftY - leftX * sumY) / area;
        double h = (rightX * sumY - sumX * rightY) / area;
        Homography ofSquare = new Homography(
                x[1] - x[0] + g * x[1],
                x[3] - x[0] + h * x[3],
                x[0],
                y[1] - y[0] + g * y[1],
                y[3] - y[0] + h * y[3],
                y[0],
                g,
                h,
                1);
        return ofSquare.times(affine(1 / width, 0, 0, 0, 1 / height, 0));
    }

    /** The other map first, then this one. */
    public Homography times(Homography o) {
        return new Homography(
                a * o.a + b * o.d + c * o.g,
                a * o.b + b * o.e + c * o.h,
                a * o.c + b * o.f + c * o.i,
                d * o.a + e * o.d + f * o.g,
                d * o.b + e * o.e + f * o.h,
                d * o.c + e * o.f + f * o.i,
                g * o.a + h * o.d + i * o.g,
                g * o.b + h * o.e + i * o.h,
                g * o.c + h * o.f + i * o.i);
    }

    /** The map back. */
    public Homography inverse() {
        double scale = 1 / (a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g));
        return new Homography(
                (e * i - f * h) * scale,
                (c * h - b * i) * scale,
                (b * f - c * e) * scale,
                (f * g - d * i) * scale,
                (a * i - c * g) * scale,
                (c * d - a * f) * scale,
                (d * h - e * g) * scale,
                (b * g - a * h) * scale,
                (a * e - b * d) * scale);
    }

    public boolean isAffine() {
        return g == 0 && h == 0 && i == 1;
    }

    /** Maps a point in place; what lies behind the horizon becomes NaN. */
    public void map(double[] point) {
        double q = g * point[0] + h * point[1] + i;
        double x = (a * point[0] + b * point[1] + c) / q;
        point[1] = q > 0 ? (d * point[0] + e * point[1] + f) / q : Double.NaN;
        point[0] = q > 0 ? x : Double.NaN;
    }
}
