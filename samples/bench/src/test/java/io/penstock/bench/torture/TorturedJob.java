package io.penstock.bench.torture;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One job of several ranks, from its first process to the comparison of what was delivered. */
final class TorturedJob {

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
    private final List<TorturedRank> ranks = new ArrayList<>();
    private final boolean[] expectedToEnd;
    private int smallestHeap;
    private int harms;
    private boolean sound = true;

    TorturedJob(List<String> program, Path place, long seed, Toll toll) {
        this.program = program;
        this.place = place;
        this.toll = toll;
        this.random = new SplittableRandom(seed);
        this.plan = JobPlan.of(random);
        this.source = place.resolve("source");
        this.cache = place.resolve("cache");
        this.expectedToEnd = new boolean[plan.world()];
    }

    /** Whether all went as it must; what was said and found is in the job's folder otherwise. */
    boolean run() throws IOException {
        plan.writeSource(source, random.split());
        note("job " + plan);
        long room = plan.sourceBytes() * 2 + (64 << 20);
        try (JobDamage damage = JobDamage.mount(cache, room, place.resolve("redis"), random.split())) {
            long content = contentOfSource();
            for (int rank = 0; rank < plan.world(); rank++) {
                ranks.add(new TorturedRank(place.resolve("rank-" + rank + ".err"), toll));
                start(rank);
            }
            while (tick(damage)) {
                harmNowAndThen(damage);
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
        try (BufferedReader told = process.inputReader(StandardCharsets.UTF_8)) {
            List<String> lines = told.lines().toList();
            if (process.waitFor() != 0) {
                throw new IOException("the undisturbed run failed: see " + place.resolve("reference.err"));
            }
            return TorturedRank.contentDigest(new ObjectMapper().readTree(lines.get(0)));
        }
    }

    private void start(int rank) throws IOException {
        expectedToEnd[rank] = false;
        int heap = random.nextInt(smallestHeap, HEAPS.size());
        ranks.get(rank).start(java(HEAPS.get(heap), plan.flags(source, cache, rank, random)));
    }

    /** Looks after all ranks once; false when all have ended well or one cannot. */
    private boolean tick(JobDamage damage) throws IOException, InterruptedException {
        boolean running = false;
        for (int number = 0; number < ranks.size(); number++) {
            TorturedRank rank = ranks.get(number);
            Integer status = rank.status();
            if (status == null) {
                running = true;
                if (rank.nanosSinceLastSign() > HANG_NANOS) {
                    return fail("hangs", "rank %d stands still: %s".formatted(number, rank.threads()));
                }
            } else if (status != 0) {
                if (!explained(number, status, damage)) {
                    String words = "rank %d ended with status %d: %s".formatted(number, status, rank.lastErrors());
                    return fail("failures", words);
                }
                start(number);
                running = true;
            }
        }
        new CountDownLatch(1).await(TICK_MILLIS, TimeUnit.MILLISECONDS);
        return running;
    }

    private boolean fail(String what, String words) throws IOException {
        note(words);
        toll.add(what, 1);
        sound = false;
        return false;
    }

    private boolean explained(int rank, int status, JobDamage damage) throws IOException {
        if (status == OUT_OF_MEMORY_STATUS && smallestHeap < HEAPS.size() - 1) {
            smallestHeap++;
            toll.add("out of memory", 1);
            return true;
        }
        if (ranks.get(rank).lastErrors().strip().endsWith("No space left on device")) {
            damage.freeDisk(); // a cache that holds nothing yet cannot be begun on a full disk, and the message says so
            return true;
        }
        return expectedToEnd[rank];
    }

    private void harmNowAndThen(JobDamage damage) throws IOException, InterruptedException {
        if (random.nextInt(TICKS_BETWEEN_HARMS) != 0 || harms++ >= MAX_HARMS) {
            return;
        }
        int rank = random.nextInt(ranks.size());
        switch (random.nextInt(10)) {
            case 0, 1 -> count(signal(rank, "KILL"), "killed");
            case 2 -> count(signal(rank, "TERM"), "terminated");
            case 3 -> count(ranks.get(rank).pause(random.nextInt(2_000)), "stopped");
            case 4, 5 -> count(damage.flipBits(), "bits flipped");
            case 6 -> damageAtRest(damage);
            case 7 -> count(damage.killRedis(), "redis killed");
            case 8 -> count(damage.poisonRedis(), "redis poisoned");
            default -> count(damage.fillDisk(), "disks filled");
        }
    }

    private void count(boolean done, String harm) throws IOException {
        if (done) {
            toll.add(harm, 1);
            note(harm);
        }
    }

    private boolean signal(int rank, String name) throws IOException, InterruptedException {
        boolean running = ranks.get(rank).status() == null;
        expectedToEnd[rank] |= running;
        return running && ranks.get(rank).signal(name);
    }

    /** Kills all, damages files that no process has mapped, and starts all again. */
    private void damageAtRest(JobDamage damage) throws IOException, InterruptedException {
        for (int rank = 0; rank < ranks.size(); rank++) {
            count(signal(rank, "KILL"), "killed");
        }
        for (TorturedRank rank : ranks) {
            rank.awaitEnd();
        }
        count(damage.cut(), "files cut");
        count(damage.replace(), "files replaced");
    }

    private void compare(long content) throws IOException {
        for (long epoch = 0; sound && epoch < plan.epochs(); epoch++) {
            long at = epoch;
            long digest = ranks.stream().mapToLong(rank -> rank.digest(at)).sum();
            if (digest != content) {
                fail("wrong epochs", "epoch %d has digest %x, the source has %x".formatted(epoch, digest, content));
            }
        }
    }
}
