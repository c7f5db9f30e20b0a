package io.penstock.internal;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPLoggerFactory;

/**
 * Tells what a program has to learn although the stream goes on: that a cache takes nothing more, that samples are left
 * out, that a consumer waits for itself.
 *
 * <p>It is a warning of the log. Where SLF4J has no provider, the log drops it, so it goes to standard error. A provider
 * that drops warnings was configured to.
 */
public final class Notice {

    private Notice() {}

    /**
     * Warns; called once for each cause.
     * @param format    with {@code {}} for each argument, as SLF4J has it
     * @param arguments the last one may be a throwable, whose stack only a log shows
     */
    public static void warn(Logger log, String format, @Nullable Object... arguments) {
        if (LoggerFactory.getILoggerFactory() instanceof NOPLoggerFactory) {
            FormattingTuple told = MessageFormatter.arrayFormat(format, arguments);
            Throwable cause = told.getThrowable();
            System.err.println("penstock: " + told.getMessage() + (cause == null ? "" : ": " + cause));
        } else {
            log.warn(format, arguments);
        }
    }
}
