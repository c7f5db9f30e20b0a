package io.penstock.cli.stream;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cli.console.Reason;
import io.penstock.fault.StoreException;
import io.penstock.internal.Span;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * {@code --trace}: what the run did for each sample and batch, in the JSON of
 * <a href="https://perfetto.dev/docs/getting-started/other-formats#chrome-json-format">Chrome's trace events</a>, which
 * ui.perfetto.dev and chrome://tracing open. Events are recorded on disk and translated at the end.
 */
final class TraceFile implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(SerializationFeature.FLUSH_AFTER_WRITE_VALUE)
            .build();
    private static final double NANOS_A_MICRO = 1e3;

    private final Path file;
    private final Recording recording = new Recording();
    private final Set<Long> threads = new HashSet<>();
    private long loads;

    private TraceFile(Path file) {
        this.file = file;
    }

    static TraceFile begin(Path file) {
        TraceFile trace = new TraceFile(file);
        try {
            Files.writeString(file, ""); // refused now, not after the run
        } catch (IOException e) {
            throw trace.unwritten(e);
        }
        trace.recording.enable(Span.NAME).withoutThreshold();
        trace.recording.start();
        return trace;
    }

    @Override
    public void close() {
        try (recording) {
            recording.stop();
            Path recorded = Files.createTempFile("penstock-trace", ".jfr");
            try {
                recording.dump(recorded);
                write(recorded);
            } finally {
                Files.delete(recorded);
            }
        } catch (IOException e) {
            throw unwritten(e);
        }
    }

    private StoreException unwritten(IOException e) {
        return new StoreException("cannot write the trace %s: %s".formatted(file, Reason.of(e)), e);
    }

    private void write(Path recorded) throws IOException {
        Instant began = recording.getStartTime();
        try (RecordingFile spans = new RecordingFile(recorded);
                JsonGenerator json = JSON.createGenerator(new BufferedOutputStream(Files.newOutputStream(file)))) {
            json.writeStartObject();
            json.writeArrayFieldStart("traceEvents");
            while (spans.hasMoreEvents()) {
                RecordedEvent event = spans.readEvent();
                if (event.getEventType().getName().equals(Span.NAME)) {
                    double from = Duration.between(began, event.getStartTime()).toNanos() / NANOS_A_MICRO;
                    for (ObjectNode each : events(event, from)) {
                        json.writeTree(each);
                    }
                }
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    /** Loads overlap on a thread and end on another one, so each has a track of its own; the rest are slices of a thread. */
    private List<ObjectNode> events(RecordedEvent span, double from) {
        Span.Kind kind = Span.Kind.valueOf(span.getString("kind"));
        double took = span.getDuration().toNanos() / NANOS_A_MICRO;
        List<ObjectNode> events = new ArrayList<>();
        RecordedThread thread = span.getThread();
        long number = thread == null ? 0 : thread.getJavaThreadId();
        if (thread != null && threads.add(number)) {
            ObjectNode named = object().put("name", "thread_name").put("ph", "M");
            events.add(named.put("pid", 1).put("tid", number).set("args", object().put("name", thread.getJavaName())));
        }
        String category = kind.name().toLowerCase(Locale.ROOT);
        boolean ofStage = kind == Span.Kind.STAGE || kind == Span.Kind.HIT;
        ObjectNode event = object().put("name", ofStage ? span.getString("stage") : category)
                .put("cat", category)
                .put("ph", kind == Span.Kind.LOAD ? "b" : kind == Span.Kind.HIT ? "i" : "X")
                .put("ts", from)
                .put("pid", 1)
                .put("tid", number);
        events.add(event);
        switch (kind) {
            case LOAD -> {
                event.put("id", ++loads);
                events.add(event.deepCopy().put("ph", "e").put("ts", from + took));
            }
            case HIT -> event.put("s", "t");
            default -> event.put("dur", took);
        }
        event.set("args", arguments(span, kind));
        return events;
    }

    private static ObjectNode arguments(RecordedEvent span, Span.Kind kind) {
        ObjectNode arguments = object().put("epoch", span.getLong("epoch")).put("offset", span.getLong("offset"));
        boolean batch = kind == Span.Kind.WAIT || kind == Span.Kind.STEP;
        arguments.put(batch ? "batch" : "sample", span.getLong("number"));
        return batch ? arguments : arguments.put("key", span.getString("key"));
    }

    private static ObjectNode object() {
        return JSON.createObjectNode();
    }
}
