package io.penstock.cli.serve;

import io.penstock.cli.flag.NumberFlag;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that {@code serve} has besides those of {@code stream}. */
interface ServeOptions {

    @Option(
            order = 700,
            names = "--port",
            paramLabel = "N",
            defaultValue = "0",
            converter = NumberFlag.Port.class,
            description = "The port; any free one by default.")
    int port();

    @Option(
            order = 710,
            names = "--host",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "Where to listen (default: ${DEFAULT-VALUE}); any but loopback needs a token and TLS.")
    String host();

    @Option(
            order = 720,
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "Holds the bearer token that requests must bring; the environment's PENSTOCK_TOKEN otherwise.")
    @Nullable Path tokenFile();

    @Option(
            order = 730,
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "Speak TLS with this certificate chain (PEM); needs --tls-key.")
    @Nullable Path tlsCertificate();

    @Option(order = 740, names = "--tls-key", paramLabel = "FILE", description = "Its key (PEM, PKCS#8, unencrypted).")
    @Nullable Path tlsKey();

    @Option(
            order = 750,
            names = "--consumers",
            paramLabel = "N",
            defaultValue = "1",
            converter = NumberFlag.Members.class,
            description = "Wait for this number of consumers before the first batch; they share one run (default: 1).")
    Integer consumers();

    @Option(
            order = 760,
            names = "--each-a-rank",
            paramLabel = "N",
            converter = NumberFlag.Members.class,
            description = "Each consumer is one of N ranks and gets its part. By default all get everything.")
    @Nullable Integer ranks();

    @Option(
            order = 770,
            names = "--shared",
            paramLabel = "DIR",
            description = "Stack batches in files of this folder, such as /dev/shm/penstock, "
                    + "which consumers on this machine map without a copy.")
    @Nullable Path shared();

    @Option(order = 780, names = "--once", description = "End when every consumer has had the last batch.")
    boolean once();

    @Option(
            order = 790,
            names = "--until-stdin-ends",
            description = "End when standard input ends, as it does when the program that started this one is gone.")
    boolean untilStdinEnds();
}
