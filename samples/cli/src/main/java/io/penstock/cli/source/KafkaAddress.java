package io.penstock.cli.source;

import io.penstock.internal.Arguments;
import io.penstock.kafka.KafkaTopic;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A topic of Kafka as a flag names it: {@code HOST:PORT,…/TOPIC}. What else its client needs, such as a password, stands
 * in a file of properties that the environment names: an argument would stand in every list of processes.
 *
 * @param servers to which the client connects first
 */
public record KafkaAddress(String servers, String topic) {

    static final String VARIABLE = "PENSTOCK_KAFKA_CONFIG";

    private static final Pattern PLACE = Pattern.compile("([^/]+:\\d+)/([A-Za-z0-9._-]+)");
    private static final Pattern RANGE = Pattern.compile("(\\d{1,9}):(\\d{1,18})[.][.](\\d{1,18})");

    /**
     * Reads a place.
     * @throws IllegalArgumentException if it does not read so
     */
    public static KafkaAddress parse(String text) {
        Matcher place = PLACE.matcher(text);
        Arguments.refuse(
                !place.matches(), "a topic is HOST:PORT/TOPIC, such as 127.0.0.1:9092/frames, was \"%s\"", text);
        return new KafkaAddress(place.group(1), place.group(2));
    }

    /** The ranges that follow a topic, each with a comma before it; none for all records. */
    static List<KafkaTopic.Range> ranges(String text) {
        List<KafkaTopic.Range> ranges = new ArrayList<>();
        for (String word : text.isEmpty() ? new String[0] : text.substring(1).split(",", -1)) {
            Matcher range = RANGE.matcher(word);
            Arguments.refuse(!range.matches(), "offsets are PARTITION:FROM..TO, such as 0:0..1000, was \"%s\"", word);
            ranges.add(new KafkaTopic.Range(
                    Integer.parseInt(range.group(1)), Long.parseLong(range.group(2)), Long.parseLong(range.group(3))));
        }
        return ranges;
    }

    /** Of the client, with what the environment's file says. */
    public Map<String, String> settings() {
        return settings(System.getenv(VARIABLE));
    }

    Map<String, String> settings(@Nullable String file) {
        Properties read = new Properties();
        if (file != null && !file.isBlank()) {
            try (Reader in = Files.newBufferedReader(Path.of(file))) {
                read.load(in);
            } catch (IOException e) {
                throw new IllegalArgumentException("cannot read %s, which %s names".formatted(file, VARIABLE), e);
            }
        }
        Map<String, String> settings = new TreeMap<>(Map.of("bootstrap.servers", servers));
        read.stringPropertyNames().forEach(name -> settings.putIfAbsent(name, read.getProperty(name)));
        return settings;
    }
}
