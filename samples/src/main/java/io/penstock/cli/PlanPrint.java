package io.penstock.cli;

import io.penstock.pipeline.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a resume token knows its plan by: the data, the stages over them and the order, 64 bits each, so that a refusal can
 * say which of the three differs.
 */
record PlanPrint(long data, long stages, long order) {

    private static final Pattern WRITTEN = Pattern.compile("[0-9a-f]{48}");

    static PlanPrint of(Fingerprint source, Fingerprint pipeline, String order) {
        List<String> words = pipeline.words();
        List<String> stages = words.subList(Math.min(source.words().size(), words.size()), words.size());
        return new PlanPrint(
                source.high(),
                Fingerprint.of(stages.toArray(String[]::new)).high(),
                Fingerprint.of(order).high());
    }

    static boolean isOne(String text) {
        return WRITTEN.matcher(text).matches();
    }

    static PlanPrint parse(String text) {
        return new PlanPrint(word(text, 0), word(text, 1), word(text, 2));
    }

    private static long word(String text, int number) {
        return Long.parseUnsignedLong(text.substring(16 * number, 16 * number + 16), 16);
    }

    /** What of this plan is not that plan's, in words; empty if nothing. */
    String differenceFrom(PlanPrint that) {
        List<String> differences = new ArrayList<>();
        if (data != that.data) {
            differences.add("other data (--source, or files that were changed, added or removed)");
        }
        if (stages != that.stages) {
            differences.add("other stages (--resize, --augment, or another image decoder)");
        }
        if (order != that.order) {
            differences.add("another order (--no-shuffle, --window)");
        }
        return String.join(", ", differences);
    }

    @Override
    public String toString() {
        return "%016x%016x%016x".formatted(data, stages, order);
    }
}
