package io.penstock.quarantine;

import io.penstock.fault.SampleException;
import java.nio.charset.StandardCharsets;

/**
 * A sample that failed, as a quarantine file tells it.
 *
 * @param index   in its dataset
 * @param name    the sample's own, such as its path
 * @param stage   that failed
 * @param cause   the class of what it threw
 * @param message of what it threw; empty if it had none
 */
public record QuarantinedSample(long index, String name, String stage, String cause, String message) {

    private static final int LONGEST_TEXT = 4096;

    static QuarantinedSample of(SampleException failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        String message = cause.getMessage() == null ? "" : cause.getMessage();
        return new QuarantinedSample(
                failure.index(),
                text(failure.name()),
                text(failure.stage()),
                cause.getClass().getName(),
                text(message));
    }

    /** What fits on a line, without halves of surrogate pairs, which UTF-8 cannot hold. */
    private static String text(String text) {
        String start = text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT);
        return new String(start.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
