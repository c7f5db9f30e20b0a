package io.penstock.cli.watch;

import io.penstock.page.Show;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** All processes of a job, read once a second. What was read last may be seen by any thread. */
final class WatchedJob implements Show {

    /** Readings of eleven seconds are ten seconds apart. */
    private static final int READINGS = 11;

    private final HttpClient client = HttpClient.newConnection();
    private final List<WatchedRank> ranks;
    private volatile JobReport report;
    private volatile String meters = "";

    WatchedJob(List<URI> addresses) {
        this.ranks = addresses.stream()
                .map(address -> new WatchedRank(address, READINGS, System::nanoTime))
                .toList();
        this.report = JobReport.of(ranks);
    }

    /** Asks all processes, and completes when each has answered or failed. One call at a time. */
    Mono<JobReport> read() {
        return Flux.fromIterable(ranks)
                .flatMap(rank -> rank.ask(client), ranks.size())
                .collectList()
                .map(answers -> {
                    answers.forEach(Runnable::run);
                    meters = merged();
                    report = JobReport.of(ranks);
                    return report;
                });
    }

    private String merged() {
        Map<String, Exposition> byInstance = new LinkedHashMap<>();
        ranks.stream()
                .filter(rank -> rank.meters != null)
                .forEach(rank -> byInstance.put(rank.instance(), Objects.requireNonNull(rank.meters)));
        return Exposition.merged(byInstance);
    }

    String meters() {
        return meters;
    }

    @Override
    public Frame after(long seen) {
        return new Frame(report.json(), 0);
    }
}
