package io.penstock.cli.stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.ipc.http.HttpUrlConnectionSender;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpHttpMetricsSender;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import io.micrometer.registry.otlp.OtlpMetricsSender;
import io.penstock.cli.console.Reason;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Meters, and a run's spans, that are pushed to a collector each minute and at the end. A collector that does not answer
 * fails no run: a warning names it. Headers and the resource are those of OpenTelemetry's variables.
 * @see <a href="https://opentelemetry.io/docs/specs/otel/protocol/exporter/">OTLP exporters</a>
 */
final class OtlpPush {

    private static final String METRICS = "v1/metrics";
    private static final String TRACES = "v1/traces";

    private static final Logger LOG = LoggerFactory.getLogger(OtlpPush.class);

    private OtlpPush() {}

    static MeterRegistry to(URI collector, ObservationRegistry observations) {
        String url = metrics(collector);
        OtlpConfig config = new OtlpConfig() {
            @Override
            public @Nullable String get(String key) {
                return key.equals("otlp.url") ? url : null;
            }

            @Override
            public Map<String, String> resourceAttributes() {
                Map<String, String> attributes = new HashMap<>(Map.of("service.name", "penstock"));
                attributes.putAll(OtlpConfig.super.resourceAttributes());
                return attributes;
            }
        };
        OtlpHttpMetricsSender sender = new OtlpHttpMetricsSender(new HttpUrlConnectionSender());
        AtomicBoolean warned = new AtomicBoolean();
        OtlpSpans spans = new OtlpSpans();
        if (url.endsWith(METRICS)) { // another path tells of no place for spans
            observations.observationConfig().observationHandler(spans);
        }
        return OtlpMeterRegistry.builder(config)
                .metricsSender(request -> {
                    send(sender, request, warned);
                    byte[] stopped = spans.take(config.resourceAttributes());
                    if (stopped.length > 0) {
                        var message = OtlpMetricsSender.Request.builder(stopped)
                                .address(url.replaceFirst(METRICS + "$", TRACES))
                                .headers(config.headers());
                        send(sender, message.build(), warned);
                    }
                })
                .build();
    }

    /** Sends what is counted up to now, of which all goes again the next time, or spans. */
    private static void send(OtlpMetricsSender sender, OtlpMetricsSender.Request request, AtomicBoolean warned) {
        try {
            sender.send(request);
        } catch (Exception e) { // as the sender declares
            if (warned.compareAndSet(false, true)) {
                LOG.warn("nothing reaches {}: {}; the run goes on without", request.getAddress(), Reason.of(e));
            }
        }
    }

    /** An address without a path is a collector's; metrics have their own below it. */
    static String metrics(URI collector) {
        if (collector.getHost() == null
                || !String.valueOf(collector.getScheme()).matches("https?")) {
            throw new IllegalArgumentException(
                    "--otlp needs an address such as http://collector:4318, was \"%s\"".formatted(collector));
        }
        return collector.getPath().length() > 1
                ? collector.toString()
                : collector.resolve("/" + METRICS).toString();
    }
}
