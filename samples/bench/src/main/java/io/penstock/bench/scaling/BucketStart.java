package io.penstock.bench.scaling;

import io.penstock.folder.ImageFolder;
import io.penstock.order.Sampler;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.s3.S3Address;
import io.penstock.store.s3.S3Store;
import io.penstock.stream.Execution;
import java.nio.file.Path;
import java.util.Map;

/** A program that opens the bucket of a server with the list that was kept, and ends after its first batch. */
public final class BucketStart {

    static final int BATCH = 64;

    private BucketStart() {}

    /** Takes the address of the server, the folder of the list, and how many objects there are. */
    public static void main(String[] arguments) {
        try (S3Store store = store(arguments[0]).keepingLists(Path.of(arguments[1]))) {
            ImageFolder images = ImageFolder.open(store);
            require(images, Long.parseLong(arguments[2]));
            readBatch(images);
        }
        System.exit(0); // the threads of the network would keep the process for a while
    }

    static S3Store store(String endpoint) {
        Map<String, String> options = Map.of("endpoint", endpoint);
        return S3Store.at(new S3Address(BucketServer.BUCKET, "set", options), HttpOptions.standard());
    }

    static void require(ImageFolder images, long objects) {
        if (images.size() != objects) {
            throw new IllegalStateException("listed %d objects".formatted(images.size()));
        }
    }

    static void readBatch(ImageFolder images) {
        images.stream(Sampler.shuffled(42), Execution.standard().inFlight(BATCH))
                .take(BATCH)
                .blockLast();
    }
}
