package io.penstock.bench.experiment;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Words along an axis for 1, 2, 3…. The drawing library knows numbers only, and a formatter of them can send its search for
 * ticks round forever; so it writes the numbers in a colour that nobody sees, and the words are put where that is found.
 */
final class NamedTicks {

    /** Of the numbers; white to the eye, and no shade of grey, which edges of letters are. */
    static final Color PLACE = new Color(0xFCFFFC);

    private static final int GAP = 6;

    private NamedTicks() {}

    /** Writes words into a drawn chart, smaller where they would touch. */
    static void draw(List<String> words, DoubleUnaryOperator screenX, Font font, BufferedImage image) {
        if (words.isEmpty()) {
            return;
        }
        double room = words.size() == 1 ? image.getWidth() : screenX.applyAsDouble(2) - screenX.applyAsDouble(1) - GAP;
        Graphics2D canvas = image.createGraphics();
        try {
            canvas.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
            canvas.setColor(Color.BLACK);
            canvas.setFont(font);
            int widest = words.stream()
                    .mapToInt(canvas.getFontMetrics()::stringWidth)
                    .max()
                    .orElse(1);
            if (widest > room) {
                canvas.setFont(font.deriveFont((float) (font.getSize() * room / widest)));
            }
            int baseline = baseline(image);
            for (int i = 0; i < words.size(); i++) {
                int width = canvas.getFontMetrics().stringWidth(words.get(i));
                canvas.drawString(words.get(i), (int) Math.round(screenX.applyAsDouble(i + 1)) - width / 2, baseline);
            }
        } finally {
            canvas.dispose();
        }
    }

    private static int baseline(BufferedImage image) {
        for (int y = image.getHeight() - 1; y >= 0; y--) {
            for (int x = 0; x < image.getWidth(); x++) {
                if ((image.getRGB(x, y) & 0xFFFFFF) == (PLACE.getRGB() & 0xFFFFFF)) {
                    return y;
                }
            }
        }
        return image.getHeight() - GAP;
    }
}
