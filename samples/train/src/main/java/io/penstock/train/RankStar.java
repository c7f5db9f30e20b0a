package io.penstock.train;

import io.penstock.fault.StoreException;
import io.penstock.order.Shard;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Ranks of one machine, each a process: they send gradients to rank 0 over loopback, which adds them up in the order of ranks,
 * so that the sum is the same in every run, and sends the mean back. For a network this small that takes about a millisecond;
 * larger ones on many machines have NCCL or Gloo.
 */
final class RankStar implements Ranks {

    private static final Logger LOG = LoggerFactory.getLogger(RankStar.class);
    private static final long MAGIC = 0x50454E52414E4B53L;
    private static final int HELLO_BYTES = 2 * Long.BYTES + 2 * Integer.BYTES;
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(100);
    private static final int MILLIS = 1000;

    private final Shard shard;
    private final Socket[] others; // of rank 0: ranks 1, 2, …; of another: rank 0

    private RankStar(Shard shard, Socket[] others) {
        this.shard = shard;
        this.others = others;
    }

    /**
     * Waits until all ranks are there.
     * @param port    rank 0's
     * @param state   what all must agree on: of ranks that do not, the first is refused
     * @param timeout for all to come, and later for each step of the slowest
     * @throws StoreException if they do not come
     */
    static Ranks meet(Shard shard, int port, long state, Duration timeout) {
        if (shard.worldSize() == 1) {
            return new Alone();
        }
        try {
            Socket[] others = shard.rank() == 0
                    ? accepted(shard.worldSize(), port, state, timeout)
                    : new Socket[] {connected(shard, port, state, timeout)};
            for (Socket each : others) {
                each.setTcpNoDelay(true);
                each.setSoTimeout(Math.toIntExact(timeout.toMillis()));
            }
            return new RankStar(shard, others);
        } catch (IOException e) {
            throw new StoreException(
                    "rank %d of %d cannot meet the others on port %d: %s"
                            .formatted(shard.rank(), shard.worldSize(), port, e.getMessage()),
                    e);
        }
    }

    private static Socket[] accepted(int world, int port, long state, Duration timeout) throws IOException {
        TreeMap<Integer, Socket> come = new TreeMap<>();
        long until = System.nanoTime() + timeout.toNanos();
        try (ServerSocket server = new ServerSocket(port, world, InetAddress.getLoopbackAddress())) {
            while (come.size() < world - 1) {
                long left = (until - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new IOException("only %d of %d came".formatted(come.size() + 1, world));
                }
                server.setSoTimeout((int) Math.min(left, MILLIS));
                Socket socket = accept(server);
                if (socket == null) {
                    continue;
                }
                int rank = greeted(socket, world, state);
                if (rank > 0 && come.putIfAbsent(rank, socket) == null) {
                    socket.getOutputStream().write(1);
                } else {
                    socket.close();
                }
            }
            return come.values().toArray(Socket[]::new);
        } catch (IOException | RuntimeException e) {
            close(come.values().toArray(Socket[]::new));
            throw e;
        }
    }

    private static @Nullable Socket accept(ServerSocket server) throws IOException {
        try {
            return server.accept();
        } catch (SocketTimeoutException e) {
            return null;
        }
    }

    /** The rank that a peer says it is, or -1 if it is none of ours. */
    private static int greeted(Socket socket, int world, long state) {
        try {
            socket.setSoTimeout(MILLIS);
            byte[] bytes = socket.getInputStream().readNBytes(HELLO_BYTES);
            if (bytes.length < HELLO_BYTES) {
                return -1;
            }
            ByteBuffer hello = ByteBuffer.wrap(bytes);
            boolean ours = hello.getLong() == MAGIC;
            int rank = hello.getInt();
            return ours && hello.getInt() == world && hello.getLong() == state && rank < world ? rank : -1;
        } catch (IOException e) {
            return -1; // whoever it was, it is not a rank
        }
    }

    private static Socket connected(Shard shard, int port, long state, Duration timeout) throws IOException {
        Socket socket = Mono.fromCallable(() -> connect(port))
                .retryWhen(Retry.fixedDelay(timeout.dividedBy(BETWEEN_ATTEMPTS), BETWEEN_ATTEMPTS)
                        .filter(IOException.class::isInstance))
                .onErrorMap(e -> new StoreException(
                        "rank 0 is not there on port %d: start it, or wait longer".formatted(port), e))
                .block();
        if (socket == null) {
            throw new IllegalStateException("a connection is a socket");
        }
        try {
            socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
            ByteBuffer hello = ByteBuffer.allocate(HELLO_BYTES)
                    .putLong(MAGIC)
                    .putInt(shard.rank())
                    .putInt(shard.worldSize())
                    .putLong(state);
            socket.getOutputStream().write(hello.array());
            if (socket.getInputStream().read() != 1) {
                throw new IOException(
                        "rank 0 has another data set, seed, number of ranks or checkpoint, or has this rank already");
            }
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket connect(int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), MILLIS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public Shard shard() {
        return shard;
    }

    @Override
    public void average(float[] gradients) {
        try {
            if (shard.rank() == 0) {
                for (Socket other : others) {
                    add(gradients, received(other, gradients.length));
                }
                float share = 1f / shard.worldSize();
                for (int i = 0; i < gradients.length; i++) {
                    gradients[i] *= share;
                }
                for (Socket other : others) {
                    send(other, gradients);
                }
            } else {
                send(others[0], gradients);
                System.arraycopy(received(others[0], gradients.length), 0, gradients, 0, gradients.length);
            }
        } catch (IOException e) {
            throw new StoreException(
                    "rank %d has lost another rank: %s; restart all of them, they resume at the checkpoint"
                            .formatted(shard.rank(), e.getMessage()),
                    e);
        }
    }

    private static void add(float[] sum, float[] more) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += more[i];
        }
    }

    private static void send(Socket to, float[] values) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES);
        bytes.asFloatBuffer().put(values);
        to.getOutputStream().write(bytes.array());
    }

    private static float[] received(Socket from, int length) throws IOException {
        byte[] bytes = from.getInputStream().readNBytes(length * Float.BYTES);
        if (bytes.length < length * Float.BYTES) {
            throw new IOException("its connection has ended");
        }
        float[] values = new float[length];
        ByteBuffer.wrap(bytes).asFloatBuffer().get(values);
        return values;
    }

    private static void close(Socket[] sockets) {
        for (Socket each : sockets) {
            try {
                each.close();
            } catch (IOException e) {
                LOG.debug("a rank is gone all the same", e);
            }
        }
    }

    @Override
    public void close() {
        close(others);
    }
}
