package io.penstock.peers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.Txn;

/** LMDB: a mapped B+ tree. Transactions are large and not forced to the disk, as in our tier. */
final class LmdbStore implements SampleStore {

    private static final int PUTS_A_TRANSACTION = 1_000;

    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> dbi;
    private final ByteBuffer keyBytes = ByteBuffer.allocateDirect(Integer.BYTES);
    private Txn<ByteBuffer> txn;
    private int puts;

    LmdbStore(Work work, Path directory) throws IOException {
        Files.createDirectory(directory);
        this.env = Env.create()
                .setMapSize(2 * work.room())
                .setMaxDbs(1)
                .open(directory.toFile(), EnvFlags.MDB_NOSYNC, EnvFlags.MDB_NORDAHEAD);
        this.dbi = env.openDbi("samples", DbiFlags.MDB_CREATE);
        this.txn = env.txnWrite();
    }

    private ByteBuffer key(int key) {
        return keyBytes.clear().putInt(key).flip();
    }

    @Override
    public void put(int key, ByteBuffer value) {
        dbi.put(txn, key(key), value.duplicate());
        puts++;
        if (puts % PUTS_A_TRANSACTION == 0) {
            txn.commit();
            txn = env.txnWrite();
        }
    }

    @Override
    public void settle() {
        txn.commit();
        txn = env.txnRead();
    }

    @Override
    public void read(int key, ByteBuffer batch, int at) {
        ByteBuffer value = dbi.get(txn, key(key));
        batch.put(at, value, 0, value.remaining());
    }

    @Override
    public void close() {
        txn.close();
        env.close();
    }
}
