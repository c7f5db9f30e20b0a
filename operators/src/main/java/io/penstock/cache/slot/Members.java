package io.penstock.cache.slot;

import io.penstock.cache.SampleKey;
import io.penstock.fault.StoreException;
import io.penstock.internal.AccessFaults;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The users of a file of slots, and their keys. They decide whether an unfinished slot may be taken over, and whether a
 * stale one may be overwritten.
 *
 * <p>A member is 64 bytes of the file: its turn (odd while it is a member), its process, and the identity of its keys.
 * A process joins under the file's lock and leaves by one store. The next process that joins removes members that died.
 */
final class Members {

    static final int MAX = 256;
    static final int BYTES = 64;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int PID = 8;
    private static final int START = 16;
    private static final int SPACE = 24;
    private static final int BOOT = 32;
    private static final int HIGH = 40;
    private static final int LOW = 48;

    private final ByteBuffer table;
    private final AccessFaults faults = new AccessFaults();
    private final ProcessId self = ProcessId.self();
    private final AtomicLongArray knownDead = new AtomicLongArray(MAX); // the turn that ended by a death

    /** @param table {@link #MAX} entries from position 0 on, of which others write some */
    Members(ByteBuffer table) {
        this.table = table;
    }

    /** The entry of a user of this process. */
    record Membership(int number, long turn) {}

    /** Under the lock of the file. */
    Membership join(SampleKey keys) {
        int free = -1;
        for (int number = 0; number < MAX; number++) {
            long turn = turn(number);
            if ((turn & 1) == 1 && process(number).isDead(self)) {
                turn++;
                LONG.setVolatile(table, number * BYTES, turn);
            }
            if ((turn & 1) == 0 && free < 0) {
                free = number;
            }
        }
        if (free < 0) {
            throw new StoreException("too many users of one file of slots: at most %d at once".formatted(MAX));
        }
        int at = free * BYTES;
        table.putLong(at + PID, self.pid()).putLong(at + START, self.start());
        table.putLong(at + SPACE, self.space()).putLong(at + BOOT, self.boot());
        table.putLong(at + HIGH, keys.high()).putLong(at + LOW, keys.low());
        long turn = turn(free) + 1;
        LONG.setVolatile(table, at, turn);
        return new Membership(free, turn);
    }

    /** @throws InternalError if the file has been cut shorter */
    void leave(Membership membership) {
        faults.compareAndSet(table, membership.number * BYTES, membership.turn, membership.turn + 1);
    }

    private long turn(int number) {
        return (long) LONG.getVolatile(table, number * BYTES);
    }

    private ProcessId process(int number) {
        int at = number * BYTES;
        return new ProcessId(
                table.getLong(at + PID),
                table.getLong(at + START),
                table.getLong(at + SPACE),
                table.getLong(at + BOOT));
    }

    /** Whether a member has left or died since it had this turn. */
    boolean isGone(int number, long turn) {
        if (number >= MAX || turn(number) != turn) {
            return true;
        }
        return diedIn(number, turn);
    }

    private boolean diedIn(int number, long turn) {
        if (knownDead.get(number) == turn) {
            return true;
        }
        boolean dead = process(number).isDead(self) && turn(number) == turn;
        if (dead) {
            knownDead.set(number, turn);
        }
        return dead;
    }

    /** Whether a member that may be alive has other keys, and so may read what is stale to us. */
    boolean othersGoBy(SampleKey keys) {
        for (int number = 0; number < MAX; number++) {
            long turn = turn(number);
            while ((turn & 1) == 1) {
                boolean same = table.getLong(number * BYTES + HIGH) == keys.high()
                        && table.getLong(number * BYTES + LOW) == keys.low();
                long again = turn(number);
                if (again == turn) {
                    if (!same && !diedIn(number, turn)) {
                        return true;
                    }
                    break;
                }
                turn = again;
            }
        }
        return false;
    }
}
