package io.penstock.serve.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.fault.StoreException;
import io.penstock.internal.Told;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** One server: what it is asked, and how long it takes. Its figures are guarded by the lock of {@link ServerChoice}. */
final class RemoteServer {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration CHECK = Duration.ofSeconds(5);

    private final HttpClient client;
    private final URI address;
    private final @Nullable String secret;

    double usual; // nanoseconds from a request to its batch; 0 before the first
    double each; // nanoseconds from batch to batch while there are requests; 0 before the first
    long last = System.nanoTime(); // when a batch came
    boolean late; // another server was asked for its last batch, and was faster
    int busy;
    boolean checked; // has the plan of the others
    boolean asked; // whether it is being asked for its plan, or measured
    long until; // System.nanoTime() when it is asked again
    Duration pause = ServerChoice.FIRST_PAUSE;

    RemoteServer(HttpClient client, URI address, @Nullable String secret) {
        this.client = client;
        this.address = address;
        this.secret = secret;
    }

    /** The server refused; another try does not help. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;
        final int status;

        Refused(int status, String message) {
            super(message, null, false, false);
            this.status = status;
        }
    }

    Mono<JsonNode> plan(Map<String, String> query) {
        return get("plan", query).timeout(CHECK).map(this::json);
    }

    Mono<RemoteBatch> batch(Map<String, String> query) {
        return get("batches", query).map(ArrowAnswer::read);
    }

    /** Cancelling closes the connection, on which the server ends its work. */
    private Mono<byte[]> get(String path, Map<String, String> query) {
        String text = query.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + URLEncoder.encode(entry.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        HttpRequest.Builder request = HttpRequest.newBuilder(address.resolve(path + "?" + text));
        if (secret != null) {
            request.header("Authorization", "Bearer " + secret);
        }
        return Told.<HttpResponse<byte[]>>mono(told -> {
                    CompletableFuture<HttpResponse<byte[]>> answer =
                            client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray());
                    told.onCancel(() -> answer.cancel(true));
                    CompletableFuture<?> unused = answer.whenComplete((response, failure) -> {
                        Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
                        told.tell(response, cause != null ? cause : failure);
                    });
                })
                .map(this::body);
    }

    private byte[] body(HttpResponse<byte[]> answer) {
        if (answer.statusCode() == 200) {
            return answer.body();
        }
        String reason = "%s answered %d: %s"
                .formatted(
                        address,
                        answer.statusCode(),
                        json(answer.body()).path("error").asText());
        if (answer.statusCode() == 503) {
            throw new StoreException(reason);
        }
        throw new Refused(answer.statusCode(), reason);
    }

    private JsonNode json(byte[] body) {
        String text = new String(body, StandardCharsets.UTF_8);
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new StoreException("%s is no batch server: it answered %.60s".formatted(address, text), e);
        }
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
