package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import io.penstock.cli.Cli;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OtlpPushTest {

    private final Map<String, Metric> metrics = new ConcurrentHashMap<>();
    private final List<Span> spans = new CopyOnWriteArrayList<>();
    private final Map<String, Resource> resources = new ConcurrentHashMap<>();

    @TempDir
    private Path folder;

    private HttpServer collector;
    private int status = 200;
    private int tracesStatus = 200;

    @BeforeEach
    void listen() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/", exchange -> {
            boolean isTraces = exchange.getRequestURI().getPath().endsWith("/v1/traces");
            try (InputStream body = exchange.getRequestBody()) {
                boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
                InputStream sent = zipped ? new GZIPInputStream(body) : body;
                if (isTraces) {
                    ExportTraceServiceRequest.parseFrom(sent)
                            .getResourceSpansList()
                            .forEach(each -> {
                                resources.put(exchange.getRequestURI().toString(), each.getResource());
                                each.getScopeSpansList().forEach(scope -> spans.addAll(scope.getSpansList()));
                            });
                } else {
                    ExportMetricsServiceRequest.parseFrom(sent)
                            .getResourceMetricsList()
                            .forEach(each -> {
                                resources.put(exchange.getRequestURI().toString(), each.getResource());
                                each.getScopeMetricsList()
                                        .forEach(scope -> scope.getMetricsList()
                                                .forEach(metric -> metrics.put(metric.getName(), metric)));
                            });
                }
            }
            exchange.sendResponseHeaders(isTraces ? tracesStatus : status, -1);
            exchange.close();
        });
        collector.start();
    }

    @AfterEach
    void stop() {
        collector.stop(0);
    }

    private String address() {
        return "http://127.0.0.1:" + collector.getAddress().getPort();
    }

    private Cli stream(String flags) throws IOException {
        Path file = Files.write(folder.resolve("records.bin"), new byte[64 * 100]);
        return Cli.stream("--source records:" + file + ",64 --batch 10 --epochs 3 --cache-ram 1MiB " + flags);
    }

    private double sum(String name) {
        return metrics.get(name).getSum().getDataPointsList().stream()
                .mapToDouble(point -> point.getAsDouble())
                .sum();
    }

    @Test
    void counts_ofARun_arriveAtItsEnd() throws IOException {
        Cli run = stream("--otlp " + address());

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(sum("penstock.samples.loaded")).isEqualTo(100);
        assertThat(sum("penstock.cache.hits")).isEqualTo(200);
        assertThat(metrics.get("penstock.stream.epoch")
                        .getHistogram()
                        .getDataPoints(0)
                        .getCount())
                .isEqualTo(3);
        assertThat(metrics.get("penstock.stream")
                        .getHistogram()
                        .getDataPoints(0)
                        .getCount())
                .isOne();
        assertThat(resources).containsOnlyKeys("/v1/metrics", "/v1/traces");
        assertThat(resources.values())
                .allSatisfy(resource -> assertThat(resource.getAttributesList())
                        .anyMatch(each -> each.getKey().equals("service.name")
                                && each.getValue().getStringValue().equals("penstock")));
    }

    @Test
    void spans_ofARun_areItsStreamAndEpochsBelowIt() throws IOException {
        Cli run = stream("--otlp " + address() + "/v1/metrics");

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(spans)
                .extracting(Span::getName)
                .containsExactly(
                        "penstock.stream.epoch", "penstock.stream.epoch", "penstock.stream.epoch", "penstock.stream");
        Span stream = spans.get(3);
        assertThat(spans).extracting(Span::getTraceId).containsOnly(stream.getTraceId());
        assertThat(spans.subList(0, 3)).extracting(Span::getParentSpanId).containsOnly(stream.getSpanId());
        assertThat(spans).extracting(Span::getSpanId).doesNotHaveDuplicates();
        assertThat(spans.subList(0, 3))
                .extracting(span -> attribute(span, "epoch"))
                .containsExactly("0", "1", "2");
        assertThat(attribute(stream, "outcome")).isEqualTo("complete");
        assertThat(stream.getParentSpanId().isEmpty()).isTrue();
        assertThat(spans)
                .allSatisfy(span -> assertThat(span.getEndTimeUnixNano())
                        .isBetween(span.getStartTimeUnixNano(), stream.getEndTimeUnixNano()));
    }

    private static String attribute(Span span, String name) {
        return span.getAttributesList().stream()
                .filter(each -> each.getKey().equals(name))
                .map(each -> each.getValue().getStringValue())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void counts_areOnThePageToo() throws IOException {
        Cli run = stream("--metrics-port 0 --otlp " + address() + "/own/path");

        assertThat(run.err()).matches("metrics at http://127\\.0\\.0\\.1:\\d+/metrics\\R");
        assertThat(resources).containsOnlyKeys("/own/path");
    }

    @Test
    void span_ofWhatFailed_isAnErrorAndIsTakenOnce() throws IOException {
        OtlpSpans kept = new OtlpSpans();
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(kept);

        Observation.start("penstock.job", observations)
                .error(new IllegalStateException("the disk is full"))
                .stop();

        Span span = ExportTraceServiceRequest.parseFrom(kept.take(Map.of()))
                .getResourceSpans(0)
                .getScopeSpans(0)
                .getSpans(0);
        assertThat(span.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
        assertThat(span.getStatus().getMessage()).contains("the disk is full");
        assertThat(kept.take(Map.of())).isEmpty();
    }

    @Test
    void spans_thatACollectorDoesNotTake_failNothing() throws IOException {
        tracesStatus = 404;

        Cli run = stream("--otlp " + address());

        assertThat(run.status()).isZero();
        assertThat(sum("penstock.samples.loaded")).isEqualTo(100);
    }

    @ParameterizedTest
    @CsvSource({"503, true", "200, false"})
    void collectorThatDoesNotTakeThem_isNamedAndFailsNothing(int answered, boolean there) throws IOException {
        status = answered;
        String address = address();
        if (!there) {
            collector.stop(0);
        }

        Cli run = stream("--otlp " + address);

        assertThat(run.status()).isZero();
        assertThat(run.events()).hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({"collector:4318", "grpc://collector:4317", "http:///v1/metrics"})
    void address_thatIsNone_isRefused(String address) throws IOException {
        Cli run = stream("--otlp " + address);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--otlp needs an address such as http://collector:4318, was \"" + address + '"');
    }

    @Test
    void address_withoutAPath_getsTheOneOfMetrics() {
        assertThat(OtlpPush.metrics(URI.create("https://c:1"))).isEqualTo("https://c:1/v1/metrics");
        assertThat(OtlpPush.metrics(URI.create("https://c:1/"))).isEqualTo("https://c:1/v1/metrics");
    }
}
