package io.penstock.peers;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** RocksDB with blob files for large values, without compression and write-ahead log. */
final class RocksStore implements SampleStore {

    private final Options options;
    private final WriteOptions writing;
    private final ReadOptions reading;
    private final RocksDB db;
    private final ByteBuffer keyBytes = ByteBuffer.allocateDirect(Long.BYTES);

    RocksStore(Path directory) throws RocksDBException {
        RocksDB.loadLibrary();
        this.options = new Options()
                .setCreateIfMissing(true)
                .setEnableBlobFiles(true)
                .setMinBlobSize(512)
                .setCompressionType(CompressionType.NO_COMPRESSION);
        this.writing = new WriteOptions().setDisableWAL(true);
        this.reading = new ReadOptions().setVerifyChecksums(false);
        this.db = RocksDB.open(options, directory.toString());
    }

    private ByteBuffer key(long key) {
        return keyBytes.clear().putLong(key).flip();
    }

    @Override
    public void put(long key, ByteBuffer value) throws RocksDBException {
        db.put(writing, key(key), value.duplicate());
    }

    @Override
    public void read(long key, ByteBuffer batch, int at) throws RocksDBException {
        db.get(reading, key(key), batch.slice(at, batch.capacity() - at));
    }

    @Override
    public void close() {
        db.close();
        reading.close();
        writing.close();
        options.close();
    }
}
