package io.penstock.bench.experiment;

import io.penstock.cache.internal.FreeMemory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The machine and the JVM in words. */
final class Machine {

    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final String MODEL = "model name";

    private Machine() {}

    static Map<String, String> described() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("processor", processor());
        words.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
        long bytes = FreeMemory.now().total();
        words.put(
                "memory", bytes == Long.MAX_VALUE ? "unknown" : String.format(Locale.ROOT, "%.1f GiB", bytes / 0x1p30));
        words.put("system", property("os.name") + " " + property("os.version") + " " + property("os.arch"));
        words.put(
                "java",
                "%s %s (%s)".formatted(property("java.vm.name"), property("java.vm.version"), property("java.vendor")));
        return words;
    }

    private static String processor() {
        try (var lines = Files.lines(PROCESSORS, StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.startsWith(MODEL))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown"; // not Linux
        }
    }

    private static String property(String name) {
        return System.getProperty(name, "unknown");
    }
}
