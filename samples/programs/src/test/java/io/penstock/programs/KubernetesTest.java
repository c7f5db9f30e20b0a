package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cli.Main;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The manifests of docs/kubernetes.json. */
class KubernetesTest {

    private static final Path FILE = Path.of(System.getProperty("penstock.root"), "docs", "kubernetes.json");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\((\\w+)\\)");

    private static List<JsonNode> manifests(String kind) throws IOException {
        return nodes(new ObjectMapper().readTree(FILE.toFile()).path("items")).stream()
                .filter(item -> item.path("kind").asText().equals(kind))
                .toList();
    }

    private static List<JsonNode> nodes(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }

    private static List<String> texts(JsonNode array, String field) {
        return nodes(array).stream().map(node -> node.path(field).asText()).toList();
    }

    private static List<String> command(JsonNode container) {
        return nodes(container.path("command")).stream().map(JsonNode::asText).toList();
    }

    @Test
    void containers_ofJobAndServers_runCommandsThatAreAccepted() throws IOException {
        for (String kind : List.of("Job", "StatefulSet")) {
            JsonNode pod = manifests(kind).get(0).at("/spec/template/spec");
            for (JsonNode container : nodes(pod.path("containers"))) {
                List<String> words = command(container);
                String[] flags = words.stream()
                        .skip(1)
                        .map(word -> VARIABLE.matcher(word).replaceAll("0"))
                        .toArray(String[]::new);

                assertThat(words.get(0)).isEqualTo("./penstock");
                assertThatCode(() -> Main.commandLine().parseArgs(flags)).doesNotThrowAnyException();
                assertThat(texts(container.path("env"), "name"))
                        .containsAll(VARIABLE.matcher(String.join(" ", words))
                                .results()
                                .map((MatchResult found) -> found.group(1))
                                .toList());
                assertThat(texts(pod.path("volumes"), "name"))
                        .containsAll(texts(container.path("volumeMounts"), "name"));
            }
        }
    }

    @Test
    void job_ofRanks_hasAsManyEverywhereAndServicesForThem() throws IOException {
        JsonNode job = manifests("Job").get(0);
        JsonNode pod = job.at("/spec/template/spec");
        JsonNode container = pod.path("containers").get(0);
        String ranks = job.at("/spec/completions").asText();
        String services = texts(
                        new ObjectMapper()
                                .createArrayNode()
                                .addAll(manifests("Service").stream()
                                        .map(service -> service.path("metadata"))
                                        .toList()),
                        "name")
                .toString();

        assertThat(texts(container.path("env"), "name")).contains("RANK", "WORLD_SIZE");
        assertThat(texts(container.path("env"), "value")).contains(ranks);
        assertThat(job.at("/spec/parallelism").asText()).isEqualTo(ranks);
        assertThat(String.join(" ", command(container)))
                .contains("meet=" + job.at("/metadata/name").asText() + "-0."
                        + pod.path("subdomain").asText() + ":")
                .contains("&nodes=" + ranks);
        assertThat(services)
                .contains(
                        pod.path("subdomain").asText(),
                        manifests("StatefulSet").get(0).at("/spec/serviceName").asText());
    }
}
