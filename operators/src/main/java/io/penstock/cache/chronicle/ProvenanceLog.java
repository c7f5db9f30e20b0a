package io.penstock.cache.chronicle;

import io.penstock.cache.Producer;
import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.internal.Crc32c;
import io.penstock.internal.Notice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What filled a directory: a text file with a line for each pipeline, which all processes append to. It explains misses
 * and decides nothing, so a line that is damaged or half written is skipped.
 *
 * <p>A line is a checksum, then words with tabs between them: the codec, how many words the source has, the source's,
 * the stages'.
 */
final class ProvenanceLog {

    private static final Logger LOG = LoggerFactory.getLogger(ProvenanceLog.class);
    private static final long MAX_BYTES = 16L << 20;
    private static final String BREAK = "\t";

    private final Path file;
    private final Set<Integer> known = ConcurrentHashMap.newKeySet();

    ProvenanceLog(Path file) {
        this.file = file;
    }

    /** Appends a line unless there is one. A failure is logged. */
    void add(Producer producer) {
        if (!known.add(producer.id())) {
            return;
        }
        try {
            if (!read().contains(producer)) {
                append(line(producer));
            }
        } catch (IOException e) {
            Notice.warn(
                    LOG,
                    "cannot note in {} who fills the cache, so misses will not be explained: {}",
                    file,
                    e.toString());
        }
    }

    private void append(String line) throws IOException {
        String what = CacheFiles.strangeness(file, false);
        if (what != null) {
            throw new IOException(new CacheFiles.Strange(file, what).toString());
        }
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            // first a line end: a process may have died in the middle of a line
            ByteBuffer bytes = StandardCharsets.UTF_8.encode("\n" + line + "\n");
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /** All lines that are whole, in their order. */
    List<Producer> read() throws IOException {
        Map<Integer, Producer> producers = new LinkedHashMap<>();
        for (String line : lines()) {
            Producer producer = parse(line);
            if (producer != null) {
                producers.putIfAbsent(producer.id(), producer);
            }
        }
        return List.copyOf(producers.values());
    }

    private List<String> lines() throws IOException {
        if (!Files.isRegularFile(file)) {
            return List.of(); // opening something else may wait
        }
        try {
            if (Files.size(file) > MAX_BYTES) {
                Notice.warn(LOG, "{} is too large to be read: {} bytes", file, Files.size(file));
                return List.of();
            }
            // damaged bytes become other letters, and the checksum sees it
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /** How many lines are damaged. */
    int illegible() throws IOException {
        return (int) lines().stream()
                .filter(line -> !line.isEmpty() && parse(line) == null)
                .count();
    }

    static String line(Producer producer) {
        List<String> words = new ArrayList<>();
        words.add(producer.codec());
        words.add(Integer.toString(producer.source().size()));
        words.addAll(producer.source());
        words.addAll(producer.stages());
        String text =
                String.join(BREAK, words.stream().map(ProvenanceLog::escaped).toList());
        return check(text) + BREAK + text;
    }

    static @Nullable Producer parse(String line) {
        int first = line.indexOf(BREAK);
        if (first < 0) {
            return null;
        }
        String text = line.substring(first + 1);
        String[] words = text.split(BREAK, -1);
        if (!line.substring(0, first).equals(check(text)) || words.length < 2 || !words[1].matches("\\d{1,6}")) {
            return null;
        }
        List<String> all = new ArrayList<>();
        for (String word : words) {
            all.add(plain(word));
        }
        int stages = 2 + Integer.parseInt(words[1]);
        return stages > all.size()
                ? null
                : new Producer(all.subList(2, stages), all.subList(stages, all.size()), all.get(0));
    }

    private static String check(String text) {
        return "%08x".formatted(Crc32c.of(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String escaped(String word) {
        return word.replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace("\r", "\\r");
    }

    private static String plain(String escaped) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            if (c == '\\' && i + 1 < escaped.length()) {
                char next = escaped.charAt(++i);
                word.append(next == 't' ? '\t' : next == 'n' ? '\n' : next == 'r' ? '\r' : next);
            } else {
                word.append(c);
            }
        }
        return word.toString();
    }
}
