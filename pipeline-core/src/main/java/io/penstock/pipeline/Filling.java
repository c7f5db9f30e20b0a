package io.penstock.pipeline;

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

    /** What {@link Dataset#cache} tells a tier of this dataset and codec. */
    public static Filling of(Dataset<?> dataset, Codec<?> codec) {
        return of(Node.of(dataset), codec);
    }

    static Filling of(Node<?> node, Codec<?> codec) {
        List<String> words = node.pipeline().fingerprint().words();
        List<String> stages = node.stages().words();
        int sources = words.size() - stages.size();
        boolean inOrder = sources >= 0 && words.subList(sources, words.size()).equals(stages); // a zip is not
        return new Filling(inOrder ? words.subList(0, sources) : words, stages, codec.id());
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
