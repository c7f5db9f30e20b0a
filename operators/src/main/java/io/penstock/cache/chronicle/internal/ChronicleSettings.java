package io.penstock.cache.chronicle.internal;

import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Settings of Chronicle, which it takes as system properties and reads when its first class loads. So callers that load
 * such a class call {@link #apply} before. A property that the user has set stays.
 */
public final class ChronicleSettings {

    private static final String LANG = "java.lang.reflect";
    private static final String CHANNELS = "sun.nio.ch";

    /** It warns of buffers that the collector frees and Chronicle cannot; held, or its level would be collected. */
    private static final Logger CLEANER =
            Logger.getLogger("net.openhft.chronicle.core.internal.cleaner.ReflectionBasedByteBufferCleanerService");

    static {
        CLEANER.setLevel(Level.SEVERE);
        set("chronicle.analytics.disable"); // it calls home
        set("chronicle.announcer.disable"); // a banner
        set("chronicle.queue.disableFileShrinking"); // a file cut shorter under those who map it is a signal to them
        set("chronicle.disk.monitor.disable"); // a thread that watches what we claim beforehand
    }

    private ChronicleSettings() {}

    private static void set(String property) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, "true");
        }
    }

    static void apply() {}

    /**
     * Fails if the JVM was not started with what Chronicle needs.
     * @throws IllegalStateException naming all missing flags
     */
    public static void requireFlags() {
        Module base = Object.class.getModule();
        Module own = ChronicleSettings.class.getModule();
        // without the second one the queue is read-only and says so at the first append
        requireFlags(base.isOpen(LANG, own), base.isOpen(CHANNELS, own) || base.isExported(CHANNELS, own));
    }

    static void requireFlags(boolean lang, boolean channels) {
        String missing = Stream.of(lang ? "" : flag(LANG), channels ? "" : flag(CHANNELS))
                .filter(flag -> !flag.isEmpty())
                .collect(Collectors.joining(" "));
        if (!missing.isEmpty()) {
            throw new IllegalStateException("the disk cache cannot write in this JVM: Chronicle Queue needs " + missing
                    + "; add this to the java command before the main class");
        }
    }

    private static String flag(String name) {
        return "--add-opens=java.base/" + name + "=ALL-UNNAMED";
    }
}
