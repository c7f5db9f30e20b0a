package io.penstock.internal;

/** What is wrong with JSON, without Jackson's words on where it has it from. */
public final class JsonReason {

    private JsonReason() {}

    /** Its original message without them. */
    public static String of(String message) {
        return message.replaceAll(" (\\(start marker )?at \\[Source: [^\\]]*\\]\\)?", "");
    }
}
