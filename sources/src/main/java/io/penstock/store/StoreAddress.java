package io.penstock.store;

/** Where objects lie in a bucket, a cloud or on a server: an object, or a folder of some. */
public interface StoreAddress {

    /** The part of the address behind its last slash; empty for a folder. */
    String name();

    /** The address of what {@link #name} lies in. */
    StoreAddress parent();

    /** The store of all that is below this. No object is asked for yet. */
    Store open();
}
