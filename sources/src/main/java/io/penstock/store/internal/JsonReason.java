package io.penstock.store.internal;

import com.fasterxml.jackson.core.JsonProcessingException;

/** What is wrong with JSON, without Jackson's words on where it has it from. */
public final class JsonReason {

    private JsonReason() {}

    public static String of(JsonProcessingException fault) {
        return fault.getOriginalMessage().replaceAll(" (\\(start marker )?at \\[Source: [^\\]]*\\]\\)?", "");
    }
}
