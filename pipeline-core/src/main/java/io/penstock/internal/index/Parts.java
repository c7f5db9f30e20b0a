package io.penstock.internal.index;

import io.penstock.internal.Arguments;
import java.util.Objects;

/** The parts of samples, each sample in as many as it has: place p is a part of sample {@code at(p)}. */
public sealed interface Parts extends Selection {

    /** Which part of its sample a place is, counted from 0. */
    int part(long place);

    /** Of {@code samples} samples with {@code each} parts. */
    record Fixed(long samples, int each) implements Parts {

        public Fixed {
            Arguments.refuse(each < 1, "a sample must have at least 1 part, was %s", each);
            Math.multiplyExact(samples, each);
        }

        @Override
        public long size() {
            return samples * each;
        }

        @Override
        public long at(long place) {
            return Objects.checkIndex(place, size()) / each;
        }

        @Override
        public int part(long place) {
            return (int) (Objects.checkIndex(place, size()) % each);
        }
    }

    /**
     * Of samples with different numbers of parts, which are kept in unary: a zero for each sample, and after it a one
     * for each of its parts. A part is found in constant time and a step for each 64 parts of its sample.
     */
    record Counted(Bits bits) implements Parts {

        @Override
        public long size() {
            return bits.size();
        }

        @Override
        public long at(long place) {
            return bits.at(place) - place - 1;
        }

        @Override
        public int part(long place) {
            long at = bits.at(place);
            return (int) (at - bits.gapBefore(at) - 1);
        }
    }
}
