package io.penstock.store.http.internal;

import io.penstock.internal.SingleFlight;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The current bearer token: requested at the first use, and again when the server refused it. */
final class Tokens {

    private final Mono<String> source;
    private final SingleFlight<String, Token> requests = new SingleFlight<>();
    private final AtomicReference<@Nullable Token> current = new AtomicReference<>();

    /** One token that was given; compared by identity, since a server may refuse what the source gives again. */
    static final class Token {
        private final String value;

        Token(String value) {
            this.value = value;
        }

        String header() {
            return "Bearer " + value;
        }

        /** Never the token. */
        @Override
        public String toString() {
            return "a bearer token";
        }
    }

    Tokens(Mono<String> source) {
        this.source = source;
    }

    private Mono<Token> request() {
        return source.switchIfEmpty(Mono.error(() -> fault("gave none")))
                .map(Tokens::checked)
                .onErrorMap(thrown -> thrown instanceof HttpFault ? thrown : fault("failed"))
                .doOnNext(current::set);
    }

    private static Token checked(String value) {
        if (value.isEmpty() || !Words.isPrintable(value)) {
            throw fault("gave one that is empty or not printable ASCII");
        }
        return new Token(value);
    }

    // its cause is left out: a token service's messages may quote what it was asked with
    private static HttpFault fault(String what) {
        return HttpFault.passing("source of bearer tokens " + what, "check the source given to bearer");
    }

    Mono<Token> get() {
        Mono<Token> known = Mono.fromSupplier(current::get);
        return known.switchIfEmpty(requests.joinToEnd("token", () -> known.switchIfEmpty(request())));
    }

    /** A token other than the one that was refused; requests refused together ask for one together. */
    Mono<Token> instead(@Nullable Token refused) {
        return Mono.defer(() -> {
            current.compareAndSet(refused, null);
            return get();
        });
    }
}
