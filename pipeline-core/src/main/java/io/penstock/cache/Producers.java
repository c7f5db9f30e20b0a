package io.penstock.cache;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Who produces the values of a look-up: announced to the tiers once, and once for each form besides the plain one. */
final class Producers {

    private final Cache cache;
    private final Map<String, Integer> ofForms = new ConcurrentHashMap<>();
    private volatile @Nullable Producer plain;

    Producers(Cache cache) {
        this.cache = cache;
    }

    /** Whether a tier keeps provenance, and so was told of the producer. */
    boolean announce(Producer producer) {
        if (!cache.keepsProvenance) {
            return false;
        }
        if (plain == null) {
            cache.producedBy(producer);
            plain = producer;
        }
        return true;
    }

    /** The same about a value in a form, the plain one where that is empty, which {@code cache inspect} counts apart. */
    Entry formed(Entry about, String form) {
        Producer producer = plain;
        Provenance from = about.provenance();
        if (form.isEmpty() || producer == null || from.equals(Provenance.UNKNOWN)) {
            return about;
        }
        int id = ofForms.computeIfAbsent(form, name -> {
            Producer formed = producer.keptAs(name);
            cache.producedBy(formed);
            return formed.id();
        });
        return about.from(new Provenance(from.sample(), from.state(), id));
    }
}
