package io.penstock.cli.source;

import io.penstock.internal.Arguments;
import io.penstock.store.http.HttpOptions;
import java.net.URI;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The bearer token for sources behind HTTP, from the environment: an argument would stand in every list of processes. It
 * goes to the scheme, host and port of the source's own address, and never along with a redirect.
 */
final class SourceToken {

    static final String VARIABLE = "PENSTOCK_HTTP_TOKEN";

    /** As they are written: what a name stands for is somebody else's to say. */
    private static final Pattern THIS_MACHINE =
            Pattern.compile("localhost|127(?:\\.\\d{1,3}){3}|\\[::1]", Pattern.CASE_INSENSITIVE);

    private SourceToken() {}

    /** How a source at an address is asked. */
    static HttpOptions options(URI source) {
        return options(source, System.getenv(VARIABLE));
    }

    static HttpOptions options(URI source, @Nullable String token) {
        HttpOptions standard = HttpOptions.standard();
        if (token == null || token.isBlank() || source.getUserInfo() != null) {
            return standard;
        }
        String host = source.getHost() == null ? "" : source.getHost();
        if (!"https".equalsIgnoreCase(source.getScheme())
                && !THIS_MACHINE.matcher(host).matches()) {
            throw new IllegalArgumentException(
                    "%s is sent only to https addresses and to this machine, not in the clear to %s; use https, or unset it"
                            .formatted(VARIABLE, host));
        }
        String bare = token.strip();
        Arguments.refuse(!bare.matches("[!-~]+"), "%s must be printable ASCII without blanks", VARIABLE);
        return standard.bearer(Mono.just(bare));
    }
}
