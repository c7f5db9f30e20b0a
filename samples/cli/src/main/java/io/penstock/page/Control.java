package io.penstock.page;

import com.fasterxml.jackson.databind.JsonNode;

/** Something a person may change from the page. Called by one request at a time, on a thread that may block. */
@FunctionalInterface
public interface Control {

    /**
     * Changes it.
     * @return what was done, in words for people
     * @throws IllegalArgumentException if the value is none for this control; its message is shown to the one that asked
     */
    String set(JsonNode value);
}
