package io.penstock.cli.stream;

import com.google.protobuf.ByteString;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationView;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;

/** The observations of a run that stopped, as spans of one trace; {@value #MAX} at most wait to be sent. */
final class OtlpSpans implements ObservationHandler<Observation.Context> {

    private static final int TRACE_BYTES = 16;
    private static final int SPAN_BYTES = 8;
    private static final int MAX = 10_000;

    private final BlockingQueue<Span> stopped = new LinkedBlockingQueue<>(MAX);

    @Override
    public boolean supportsContext(Observation.Context context) {
        return true;
    }

    @Override
    public void onStart(Observation.Context context) {
        Span.Builder span = Span.newBuilder().setSpanId(random(SPAN_BYTES)).setStartTimeUnixNano(now());
        ObservationView above = context.getParentObservation();
        Span.Builder parent = above == null ? null : above.getContextView().get(Span.Builder.class);
        if (parent == null) {
            span.setTraceId(random(TRACE_BYTES));
        } else {
            span.setTraceId(parent.getTraceId()).setParentSpanId(parent.getSpanId());
        }
        context.put(Span.Builder.class, span);
    }

    @Override
    public void onStop(Observation.Context context) {
        Span.Builder span = context.getRequired(Span.Builder.class);
        span.setName(context.getName()).setEndTimeUnixNano(now());
        context.getAllKeyValues().forEach(each -> set(span.addAttributesBuilder(), each.getKey(), each.getValue()));
        if (context.getError() != null) {
            span.getStatusBuilder()
                    .setCode(Status.StatusCode.STATUS_CODE_ERROR)
                    .setMessage(context.getError().toString());
        }
        stopped.offer(span.build());
    }

    /** The message of what stopped since the last call; one without spans for nothing. */
    byte[] take(Map<String, String> resource) {
        List<Span> taken = new ArrayList<>();
        stopped.drainTo(taken);
        var request = ExportTraceServiceRequest.newBuilder();
        if (!taken.isEmpty()) {
            var spans = request.addResourceSpansBuilder();
            resource.forEach((name, value) -> set(spans.getResourceBuilder().addAttributesBuilder(), name, value));
            spans.addScopeSpansBuilder().addAllSpans(taken);
        }
        return request.build().toByteArray();
    }

    private static void set(KeyValue.Builder attribute, String name, String value) {
        attribute.setKey(name).getValueBuilder().setStringValue(value);
    }

    private static ByteString random(int length) {
        byte[] bytes = new byte[length];
        ThreadLocalRandom.current().nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }

    private static long now() {
        return ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
    }
}
