package io.penstock.page;

import com.sun.net.httpserver.Headers;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Who may ask. Any page that a browser on this machine has open can send requests to a loopback port, and a name of its own
 * can be made to lead here (DNS rebinding), after which it could read the answers too. So the host must be one of ours, and
 * the origin, which browsers add to every request that changes something or comes from elsewhere, must be that host's.
 * @see <a href="https://owasp.org/www-community/attacks/csrf">cross-site request forgery</a>
 */
final class Access {

    private final Set<String> hosts;

    Access(int port) {
        this.hosts = Set.of("127.0.0.1:" + port, "localhost:" + port);
    }

    /** Why a request with these headers is turned away; empty if it is not. */
    Optional<String> refusal(Headers headers) {
        List<String> host = headers.getOrDefault("Host", List.of());
        if (host.size() != 1 || !hosts.contains(host.get(0))) {
            return Optional.of("the host is not this page's");
        }
        List<String> origin = headers.getOrDefault("Origin", List.of());
        boolean own = origin.isEmpty() || origin.equals(List.of("http://" + host.get(0)));
        return own ? Optional.empty() : Optional.of("the origin is not this page's");
    }
}
