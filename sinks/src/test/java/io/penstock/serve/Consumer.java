package io.penstock.serve;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.message.MessageChannelReader;
import org.apache.arrow.vector.ipc.message.MessageResult;

/** Reads batches as Arrow's own reader does, one when asked. */
final class Consumer implements AutoCloseable {

    private final HttpResponse<InputStream> response;
    private final BufferAllocator allocator = new RootAllocator();
    private final ArrowStreamReader reader;
    private final String[] token = new String[1];

    Consumer(URI server, String query, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve("batches" + query));
        if (headers.length > 0) {
            request.headers(headers);
        }
        this.response = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        this.reader = new ArrowStreamReader(new Tokens(response.body(), allocator, token), allocator);
    }

    /** Arrow's reader does not give the metadata of its messages. */
    private static final class Tokens extends MessageChannelReader {
        private final String[] token;

        Tokens(InputStream in, BufferAllocator allocator, String[] token) {
            super(new ReadChannel(Channels.newChannel(in)), allocator);
            this.token = token;
        }

        @Override
        public MessageResult readNext() throws IOException {
            MessageResult result = super.readNext();
            if (result != null) {
                for (int i = 0; i < result.getMessage().customMetadataLength(); i++) {
                    if (result.getMessage().customMetadata(i).key().equals("penstock.resume")) {
                        token[0] = result.getMessage().customMetadata(i).value();
                    }
                }
            }
            return result;
        }
    }

    int status() {
        return response.statusCode();
    }

    String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    /** The token of the last batch. */
    String token() {
        return token[0];
    }

    /** The indices of the next batch's samples, whose bytes are checked; none at the end. */
    List<Integer> next() throws IOException {
        if (!reader.loadNextBatch()) {
            return List.of();
        }
        FixedSizeListVector samples =
                (FixedSizeListVector) reader.getVectorSchemaRoot().getVector("bytes");
        int width = samples.getListSize();
        List<Integer> indices = new ArrayList<>();
        for (int row = 0; row < reader.getVectorSchemaRoot().getRowCount(); row++) {
            byte[] bytes = new byte[width];
            samples.getDataVector().getDataBuffer().getBytes((long) row * width, bytes);
            int index = ByteBuffer.wrap(bytes).getInt(0);
            if (!Arrays.equals(bytes, CountedFeed.sample(index, width).toByteArray())) {
                throw new AssertionError("wrong bytes in sample " + index + " in row " + row);
            }
            indices.add(index);
        }
        return indices;
    }

    /** Those of all batches to the end. */
    List<Integer> rest() throws IOException {
        List<Integer> all = new ArrayList<>();
        for (List<Integer> some = next(); !some.isEmpty(); some = next()) {
            all.addAll(some);
        }
        return all;
    }

    @Override
    public void close() throws IOException {
        response.body().close();
        reader.close(false);
        allocator.close();
    }
}
