package io.penstock.page;

/** What a page shows, drawn up when a browser is ready for it. Called by the threads of several browsers at once. */
@FunctionalInterface
public interface Show {

    /**
     * How things are now, as one JSON object, with what came after {@code seen}.
     * @param seen the number that the same browser's last frame carried, 0 at first
     */
    Frame after(long seen);

    /**
     * What one browser gets at once.
     *
     * @param json one object, without line breaks
     * @param seen how far the browser has seen with it
     */
    record Frame(String json, long seen) {}
}
