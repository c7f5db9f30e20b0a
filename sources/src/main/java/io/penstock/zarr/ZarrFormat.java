package io.penstock.zarr;

/** The two versions of Zarr's storage specification; one folder may hold metadata of both. */
public enum ZarrFormat {
    V2,
    V3
}
