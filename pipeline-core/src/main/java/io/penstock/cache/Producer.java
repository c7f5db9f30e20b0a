package io.penstock.cache;

import io.penstock.tensor.Codec;
import java.util.List;

/**
 * What produced entries of a tier: a source, the stages between it and the cache, and the codec. A tier that outlives its
 * process keeps these words, to explain later which of them made a key differ.
 *
 * @param source the words of the source's fingerprint
 * @param stages the words of the stages before the cache, in order
 * @param codec  the codec's id, and the form if it is not the plain one
 */
public record Producer(List<String> source, List<String> stages, String codec) {

    private static final String FORM = ", in the form ";

    public Producer {
        source = List.copyOf(source);
        stages = List.copyOf(stages);
    }

    /**
     * The words of a producer.
     * @param all    the fingerprint of everything between the data and the cache
     * @param stages that of the stages among it
     */
    public static Producer of(Fingerprint all, Fingerprint stages, Codec<?> codec) {
        List<String> words = all.words();
        List<String> last = stages.words();
        int sources = words.size() - last.size();
        boolean inOrder = sources >= 0 && words.subList(sources, words.size()).equals(last); // a zip is not
        return new Producer(inOrder ? words.subList(0, sources) : words, last, codec.id());
    }

    /** Who keeps the same values in another form. */
    Producer keptAs(String form) {
        return new Producer(source, stages, codec + FORM + form);
    }

    /** The codec's id without the form that its values are kept in. */
    public String plainCodec() {
        return codec.replaceFirst(FORM + ".*", "");
    }

    /** A hash of all the words, in 32 bits. */
    public int id() {
        Fingerprint all = Fingerprint.of(source.toArray(String[]::new))
                .with("stages")
                .with(Fingerprint.of(stages.toArray(String[]::new)))
                .with("codec")
                .with(codec);
        return (int) all.low();
    }
}
