package io.penstock.bench.torture;

import io.penstock.bench.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** The Redis server that a job's processes spawn, found by the file in which they register it. */
final class SpawnedRedis {

    private static final String DAMAGE = """
            for _, key in ipairs(redis.call('KEYS', '*')) do
              if redis.call('TYPE', key).ok == 'string' then
                redis.call('SETRANGE', key, math.min(ARGV[1], redis.call('STRLEN', key)), ARGV[2])
              end
            end
            """;

    private final Path home;
    private final SplittableRandom random;

    SpawnedRedis(Path home, SplittableRandom random) {
        this.home = home;
        this.random = random;
    }

    /** Kills the server, or the process that watches its users; false if there is none. */
    boolean kill() throws IOException, InterruptedException {
        List<String> server = registered();
        if (server.isEmpty()) {
            return false;
        }
        String process = server.get(random.nextInt(4) == 0 ? 3 : 1);
        return ChildProcess.run("kill", "-KILL", process);
    }

    /** Overwrites some bytes of every value; false if there is no server, or no client to do it with. */
    boolean poison() throws IOException, InterruptedException {
        List<String> server = registered();
        if (server.isEmpty()) {
            return false;
        }
        String at = Integer.toString(random.nextInt(600));
        String noise = Long.toHexString(random.nextLong());
        return ChildProcess.run(
                "env",
                "REDISCLI_AUTH=" + server.get(6),
                "redis-cli",
                "-p",
                server.get(0),
                "EVAL",
                DAMAGE,
                "0",
                at,
                noise);
    }

    private List<String> registered() throws IOException {
        if (Files.notExists(home)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(home)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (file.getFileName().toString().startsWith("server-")) {
                    List<String> lines = Files.readAllLines(file);
                    return lines.size() == 7 ? lines : List.of();
                }
            }
        } catch (IOException e) {
            return List.of(); // it ended meanwhile
        }
        return List.of();
    }
}
