/** Arrays of HDF5 and NetCDF-4 files. Needs {@code io.jhdf:jhdf} on the class path. */
@NullMarked
package io.penstock.hdf5;

import org.jspecify.annotations.NullMarked;
