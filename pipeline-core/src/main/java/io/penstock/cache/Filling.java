package io.penstock.cache;

import io.penstock.tensor.Codec;
import java.util.List;

/**
 * Who fills a tier: a source, the stages between it and the cache, and the codec. A tier that outlives its process keeps
 * these words, so that it can be said later which of them made a key differ.
 *
 * @param source the words of the source's fingerprint
 * @param stages the words of the stages that values went through before they were kept, in order
 * @param codec  the codec's id
 */
public record Filling(List<String> source, List<String> stages, String codec) {

    public Filling {
        source = List.copyOf(source);
        stages = List.copyOf(stages);
    }

    /**
     * The words of what fills a tier.
     * @param all    the fingerprint of everything between the data and the tier
     * @param stages those of them that are stages
     */
    public static Filling of(Fingerprint all, Fingerprint stages, Codec<?> codec) {
        List<String> words = all.words();
        List<String> last = stages.words();
        int sources = words.size() - last.size();
        boolean inOrder = sources >= 0 && words.subList(sources, words.size()).equals(last); // a zip is not
        return new Filling(inOrder ? words.subList(0, sources) : words, last, codec.id());
    }

    /** 32 bits that stand for all the words. */
    public int id() {
        Fingerprint all = Fingerprint.of(source.toArray(String[]::new))
                .with("stages")
                .with(Fingerprint.of(stages.toArray(String[]::new)))
                .with("codec")
                .with(codec);
        return (int) all.low();
    }
}
