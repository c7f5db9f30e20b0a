package io.penstock.cache.slot;

import io.penstock.cache.SampleKey;

/** What sample a slot is to hold, as one user of a file sees it. */
interface SlotKeys {

    long high(long slot);

    long low(long slot);

    /** What tells this assignment of keys to slots from others. */
    SampleKey id();

    /** Slots whose samples are known by their index alone. */
    SlotKeys INDICES = new SlotKeys() {
        private final SampleKey id = SampleKey.of("indices");

        @Override
        public long high(long slot) {
            return id.high();
        }

        @Override
        public long low(long slot) {
            return id.low() + slot;
        }

        @Override
        public SampleKey id() {
            return id;
        }
    };
}
