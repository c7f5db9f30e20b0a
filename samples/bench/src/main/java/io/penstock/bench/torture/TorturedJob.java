package io.penstock.bench.torture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One job of several ranks, from its first process to the comparison of what was delivered. */
final class TorturedJob {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long HANG_NANOS = TimeUnit.SECONDS.toNanos(120);
    private static final int TICK_MILLIS = 50;
    private static final int TICKS_BETWEEN_HARMS = 20;
    private static final int MAX_HARMS = 25;
    private static final int OUT_OF_MEMORY_STATUS = 3; // of -XX:+ExitOnOutOfMemoryError
    private static final List<String> HEAPS = List.of("-Xmx48m", "-Xmx96m", "-Xmx512m");

    private final List<String> program;
    private final Path place;
    private final Toll toll;
    private final SplittableRandom random;
    private final JobPlan plan;
    private final Path source;
    private final Path cache;
    private final CacheDamage damage;
    private final SpawnedRedis redis;
    private final List<TorturedRank> ranks = new ArrayList<>();
    private final boolean[] expectedToEnd;
    private int smallestHeap;
    private int harms;
    private boolean sound = true;

    TorturedJob(List<String> program, Path place, long seed, boolean withRedis, Toll toll) {
        this.program = program;
        this.place = place;
        this.toll = toll;
        this.random = new SplittableRandom(seed);
        this.plan = JobPlan.of(random, withRedis);
        this.source = place.resolve("source");
        this.cache = place.resolve("cache");
        this.damage = new CacheDamage(cache, random.split());
        this.redis = new SpawnedRedis(place.resolve("redis"), random.split());
        this.expectedToEnd = new boolean[plan.world()];
    }

    /** Whether all went as it must; what was said and found is in the job's folder otherwise. */
    boolean run() throws IOException {
        plan.writeSource(source, random.split());
        note("job " + plan);
        try (SmallDisk disk = SmallDisk.mount(cache, plan.sourceBytes() * 2 + (64 << 20))) {
            long content = contentOfSource();
            for (int rank = 0; rank < plan.world(); rank++) {
                ranks.add(new TorturedRank(place.resolve("rank-" + rank + ".err"), toll));
                start(rank);
            }
            while (tick(disk)) {
                harmNowAndThen(disk);
            }
            compare(content);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in the middle of a job", e);
        } finally {
            ranks.forEach(TorturedRank::end);
        }
        return sound;
    }

    private void note(String line) throws IOException {
        Files.writeString(place.resolve("log"), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private List<String> java(String heap, List<String> arguments) {
        List<String> command = new ArrayList<>(program.subList(0, 1));
        command.addAll(List.of(heap, "-XX:+ExitOnOutOfMemoryError"));
        command.addAll(program.subList(1, program.size()));
        command.addAll(arguments);
        return command;
    }

    /** The digest of an epoch of an undisturbed run without a cache. */
    private long contentOfSource() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(java("-Xmx512m", plan.flags(source)))
                .redirectError(place.resolve("reference.err").toFile())
                .start();
        String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("the undisturbed run failed: see " + place.resolve("reference.err"));
        }
        JsonNode epoch = JSON.readTree(told.lines().findFirst().orElseThrow());
        return Long.parseUnsignedLong(epoch.path("content_digest").asText(), 16);
    }

    private void start(int rank) throws IOException {
        expectedToEnd[rank] = false;
        int heap = random.nextInt(smallestHeap, HEAPS.size());
        ranks.get(rank).start(java(HEAPS.get(heap), plan.flags(source, cache, rank, random)));
    }

    /** Looks after all ranks once; false when all have ended well or one cannot. */
    private boolean tick(SmallDisk disk) throws IOException, InterruptedException {
        boolean running = false;
        for (int number = 0; number < ranks.size(); number++) {
            TorturedRank rank = ranks.get(number);
            Integer status = rank.status();
            if (status == null) {
                running = true;
                if (rank.nanosSinceLastSign() > HANG_NANOS) {
                    note("rank %d stands still: %s".formatted(number, rank.threads()));
                    toll.add(Toll.Of.HANGS, 1);
                    return fail();
                }
            } else if (status != 0) {
                if (!explained(number, status, disk)) {
                    note("rank %d ended with status %d: %s".formatted(number, status, rank.lastErrors()));
                    toll.add(Toll.Of.FAILURES, 1);
                    return fail();
                }
                start(number);
                running = true;
            }
        }
        new CountDownLatch(1).await(TICK_MILLIS, TimeUnit.MILLISECONDS);
        return running;
    }

    private boolean fail() {
        sound = false;
        return false;
    }

    private boolean explained(int rank, int status, SmallDisk disk) throws IOException {
        if (status == OUT_OF_MEMORY_STATUS && smallestHeap < HEAPS.size() - 1) {
            smallestHeap++;
            toll.add(Toll.Of.OUT_OF_MEMORY, 1);
            return true;
        }
        if (ranks.get(rank).lastErrors().strip().endsWith("No space left on device")) {
            disk.free(); // a cache that holds nothing yet cannot be begun on a full disk, and the message says so
            return true;
        }
        return expectedToEnd[rank];
    }

    private void harmNowAndThen(SmallDisk disk) throws IOException, InterruptedException {
        if (random.nextInt(TICKS_BETWEEN_HARMS) != 0 || harms++ >= MAX_HARMS) {
            return;
        }
        int rank = random.nextInt(ranks.size());
        switch (random.nextInt(10)) {
            case 0, 1 -> signal(rank, "KILL", Toll.Of.KILLED);
            case 2 -> signal(rank, "TERM", Toll.Of.TERMINATED);
            case 3 -> pause(rank);
            case 4, 5 -> flipBits(disk);
            case 6 -> damageAtRest(disk);
            case 7 -> count(redis.kill(), Toll.Of.REDIS_KILLED);
            case 8 -> count(redis.poison(), Toll.Of.REDIS_POISONED);
            default -> count(disk.fillOrFree(), Toll.Of.DISKS_FILLED);
        }
    }

    private void count(boolean done, Toll.Of harm) throws IOException {
        if (done) {
            toll.add(harm, 1);
            note(harm.label());
        }
    }

    private void signal(int rank, String name, Toll.Of harm) throws IOException, InterruptedException {
        if (ranks.get(rank).status() == null) {
            expectedToEnd[rank] = true;
            ranks.get(rank).signal(name);
            count(true, harm);
        }
    }

    private void pause(int rank) throws IOException, InterruptedException {
        if (ranks.get(rank).status() == null) {
            ranks.get(rank).signal("STOP");
            new CountDownLatch(1).await(random.nextInt(2_000), TimeUnit.MILLISECONDS);
            ranks.get(rank).signal("CONT");
            count(true, Toll.Of.STOPPED);
        }
    }

    /** A bit in a hole of a file takes room. */
    private void flipBits(SmallDisk disk) throws IOException {
        disk.free();
        count(damage.flipBits(), Toll.Of.BITS_FLIPPED);
    }

    /** Kills all, damages files that no process has mapped, and starts all again. */
    private void damageAtRest(SmallDisk disk) throws IOException, InterruptedException {
        for (int rank = 0; rank < ranks.size(); rank++) {
            signal(rank, "KILL", Toll.Of.KILLED);
        }
        for (TorturedRank rank : ranks) {
            rank.awaitEnd();
        }
        disk.free(); // a replaced file takes room
        count(damage.cut(), Toll.Of.FILES_CUT);
        count(damage.replace(), Toll.Of.FILES_REPLACED);
    }

    private void compare(long content) throws IOException {
        if (!sound) {
            return;
        }
        Map<Long, Long> digests = new HashMap<>();
        ranks.forEach(rank -> rank.digests().forEach((epoch, digest) -> digests.merge(epoch, digest, Long::sum)));
        for (long epoch = 0; epoch < plan.epochs(); epoch++) {
            if (digests.getOrDefault(epoch, 0L) != content) {
                note("epoch %d has digest %x, the source has %x".formatted(epoch, digests.get(epoch), content));
                toll.add(Toll.Of.WRONG_EPOCHS, 1);
                sound = false;
            }
        }
    }
}
