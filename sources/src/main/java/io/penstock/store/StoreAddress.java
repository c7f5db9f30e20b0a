package io.penstock.store;

/** Where objects lie in a bucket, a cloud or on a server: an object, or a folder of some. */
public interface StoreAddress {

    /** Of an object, or a prefix that ends with a slash; may be empty. */
    String key();

    /** The part of the address behind its last slash; empty for a folder. */
    default String name() {
        return key().substring(key().lastIndexOf('/') + 1);
    }

    /** The address of what {@link #name} lies in. */
    StoreAddress parent();

    /** The store of all that is below this. No object is asked for yet. */
    Store open();
}
