package io.penstock.cache.redis.internal;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A shell that starts a server, waits until its last user is gone, and ends it. It reads the named pipe that all
 * {@link UserPipe users} hold open for writing: the kernel closes a user's end when its process
 * ends for any reason, and the end of file means that the last user is gone. No process ids or clocks are compared.
 *
 * <p>It runs in a session of its own and ignores what a terminal sends, so a Ctrl-C ends the users only. The server is
 * its child and dies with it where the system can do that ({@code setpriv} of util-linux 2.33, Linux). Elsewhere a
 * server whose watcher was killed runs until the next process comes.
 *
 * @param process of the shell
 * @param server  that it started
 */
record Watcher(ServerProcess process, ServerProcess server) {

    /** The arguments are the server's id and its command line. A line that a user writes names a file to make. */
    private static final String SCRIPT = """
            trap '' HUP INT QUIT TERM
            id=$1
            shift
            started() { cut -d ' ' -f 22 "/proc/$1/stat" 2> /dev/null; }
            if setpriv --pdeathsig KILL true 2> /dev/null; then set -- setpriv --pdeathsig KILL "$@"; fi
            "$@" < /dev/null >> redis.log 2>&1 &
            server=$!
            since=$(started $server)
            echo $server
            exec > /dev/null
            while read -r seen; do true > "$seen"; done
            rm -f "server-$id" "users-$id" "redis-$id.conf"
            if [ "$(started $server)" = "$since" ]; then kill -KILL $server; fi
            """;

    /** Starts one, whose users have the pipe open already. */
    static Watcher start(Path home, String id, Path pipe, List<String> server) throws IOException {
        List<String> command = new ArrayList<>(
                Programs.find("setsid").map(Path::toString).stream().toList());
        command.addAll(List.of("sh", "-c", SCRIPT, "sh", id));
        command.addAll(server);
        Process shell = new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectInput(pipe.toFile())
                .redirectError(Redirect.appendTo(home.resolve("redis.log").toFile()))
                .start();
        try (BufferedReader words = shell.inputReader()) {
            String number = String.valueOf(words.readLine());
            if (!number.matches("\\d{1,18}")) {
                throw new IOException("its shell said \"%s\" instead of a process number".formatted(number));
            }
            return new Watcher(ServerProcess.of(shell.pid()), ServerProcess.of(Long.parseLong(number)));
        }
    }
}
