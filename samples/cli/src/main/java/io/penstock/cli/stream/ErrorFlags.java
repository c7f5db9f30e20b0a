package io.penstock.cli.stream;

import io.penstock.cli.flag.ErrorBudget;
import io.penstock.cli.flag.Flags.OnError;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.fault.SampleException;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.quarantine.QuarantineFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags for samples that cannot be loaded. */
final class ErrorFlags {

    private static final Duration BACKOFF = Duration.ofMillis(100);

    @Option(names = "--on-error", paramLabel = "fail|skip|substitute", defaultValue = "fail")
    OnError onError = OnError.FAIL;

    @Option(names = "--error-budget", paramLabel = "N|P%")
    private @Nullable ErrorBudget errorBudget;

    @Option(names = "--retries", paramLabel = "N", defaultValue = "0", converter = NumberFlag.Retries.class)
    private int retries;

    @Option(names = "--quarantine", paramLabel = "FILE")
    @Nullable Path quarantine;

    void check() {
        if (onError == OnError.FAIL && (errorBudget != null || quarantine != null)) {
            throw new IllegalArgumentException("--error-budget and --quarantine need --on-error skip or substitute");
        }
    }

    ErrorPolicy policy(Consumer<SampleException> told) {
        return policy(
                told,
                switch (onError) {
                    case FAIL -> ErrorPolicy.fail();
                    case SKIP -> ErrorPolicy.skip();
                    case SUBSTITUTE -> ErrorPolicy.substitute();
                });
    }

    /** The policy while samples are measured, where none takes the place of another. */
    ErrorPolicy measuring(@Nullable QuarantineFile file) {
        return policy(
                file == null ? failure -> {} : file, onError == OnError.FAIL ? ErrorPolicy.fail() : ErrorPolicy.skip());
    }

    private ErrorPolicy policy(Consumer<SampleException> told, ErrorPolicy policy) {
        return (errorBudget == null ? policy : errorBudget.of().apply(policy))
                .quarantine(told)
                .retry(retries, BACKOFF);
    }
}
