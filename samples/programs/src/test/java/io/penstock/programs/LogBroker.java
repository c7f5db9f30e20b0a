package io.penstock.programs;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A log of numbered lines without end, on a loopback socket. It keeps what its one group of readers has committed. */
final class LogBroker implements AutoCloseable {

    static final char FETCH = 'F';
    static final char COMMIT = 'C';
    static final char COMMITTED = 'Q';

    /** What a reader committed. */
    record Committed(long offset, long number) {}

    final AtomicLong fetched = new AtomicLong();
    final Semaphore commits = new Semaphore(0);
    private final ServerSocket server;
    private volatile Committed committed = new Committed(0, 0);
    private volatile @Nullable IOException failure;

    private LogBroker(ServerSocket server) {
        this.server = server;
    }

    static LogBroker open() throws IOException {
        LogBroker broker = new LogBroker(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        start(broker::accept);
        return broker;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "log-broker");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return server.getLocalPort();
    }

    Committed committed() {
        return committed;
    }

    @Nullable IOException failure() {
        return failure;
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                start(() -> serve(socket));
            }
        } catch (IOException e) {
            if (!server.isClosed()) {
                failure = e;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            for (int request = in.read(); request >= 0; request = in.read()) {
                answer((char) request, in, out);
                out.flush();
            }
        } catch (IOException e) { // the reader was killed
        }
    }

    private void answer(char request, DataInputStream in, DataOutputStream out) throws IOException {
        if (request == FETCH) {
            long offset = in.readLong();
            String line = Long.toString(number(offset));
            fetched.incrementAndGet();
            out.writeUTF(line);
            out.writeLong(offset + line.length());
        } else if (request == COMMIT) {
            committed = new Committed(in.readLong(), in.readLong());
            commits.release();
            out.write(COMMIT);
        } else {
            Committed last = committed;
            out.writeLong(last.offset());
            out.writeLong(last.number());
        }
    }

    /** The line at an offset is its number in decimal digits, so lines have different lengths. */
    private static long number(long offset) {
        long first = 0; // the first number of this many digits
        long at = 0;
        for (int digits = 1; ; digits++) {
            long next = Math.round(Math.pow(10, digits));
            long end = at + (next - first) * digits;
            if (offset < end) {
                if ((offset - at) % digits != 0) {
                    throw new IllegalArgumentException("no line begins at offset " + offset);
                }
                return first + (offset - at) / digits;
            }
            first = next;
            at = end;
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
