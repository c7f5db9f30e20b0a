package io.penstock.cache.redis.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is a member, by what a roster says. */
class MembershipTest {

    private static final Member SELF = new Member("a", "10.0.0.1", 1);
    private static final Member OTHER = new Member("b", "10.0.0.2", 1);
    private static final Member OTHER_AGAIN = new Member("b", "10.0.0.2", 2);

    @TempDir
    Path directory;

    private final FakeRoster roster = new FakeRoster();
    private int starts;

    private static final class FakeRoster implements Roster {
        private final BlockingQueue<Member> said = new LinkedBlockingQueue<>();
        private volatile List<Member> there = List.of();
        private boolean broken;
        private boolean refused;
        private volatile boolean closed;

        @Override
        public Collection<Member> renew(Member self) throws IOException {
            said.add(self);
            if (refused) {
                throw new PlainClient.RefusedException("the server has another password");
            }
            if (broken) {
                throw new IOException("out of reach");
            }
            List<Member> all = new ArrayList<>(there);
            all.add(self);
            return all;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private Membership membership(Duration patience, ServerProcess process) {
        return new Membership(() -> server(process), SELF.name(), SELF.host(), roster, patience, Duration.ZERO);
    }

    private Membership membership(Duration patience) {
        return membership(patience, ServerProcess.of(ProcessHandle.current().pid()));
    }

    @Test
    void close_whileOthersRun_saysSoAndWaitsForTheLast() throws Exception {
        ServerProcess process = ServerProcess.of(ProcessHandle.current().pid());
        Membership membership = new Membership(
                () -> server(process), SELF.name(), SELF.host(), roster, Duration.ofHours(1), Duration.ofHours(1));
        seen(membership, OTHER);

        Thread closing = new Thread(membership::close);
        closing.start();

        assertThat(roster.said.take()).isEqualTo(SELF);
        assertThat(roster.said.take().ended()).isTrue();
        assertThat(roster.said.take().ended()).isTrue();
        assertThat(roster.closed).isFalse();
        roster.there = List.of(new Member(OTHER.name(), OTHER.host(), OTHER.port(), true));
        closing.join();
        assertThat(roster.closed).isTrue();
    }

    @Test
    void close_whereTheListIsGone_ends() {
        ServerProcess process = ServerProcess.of(ProcessHandle.current().pid());
        Membership membership = new Membership(
                () -> server(process), SELF.name(), SELF.host(), roster, Duration.ofHours(1), Duration.ofHours(1));
        seen(membership, OTHER);
        roster.broken = true;

        membership.close();

        assertThat(roster.closed).isTrue();
    }

    @Test
    void member_thatHasEndedAndIsGone_isNoneAtOnce() {
        try (Membership membership = membership(Duration.ofHours(1))) {
            seen(membership, new Member(OTHER.name(), OTHER.host(), OTHER.port(), true));

            assertThat(seen(membership)).containsExactly(SELF);
        }
    }

    @Test
    void place_withAnotherPassword_isSaidAsSuch() {
        try (Membership membership = membership(Duration.ofHours(1))) {
            roster.refused = true;

            assertThatThrownBy(() -> membership.await(2, Duration.ofHours(1)))
                    .isInstanceOf(StoreException.class)
                    .hasMessage("this node cannot meet the others: the server has another password");
        }
    }

    private SpawnedServer server(ServerProcess process) {
        starts++;
        try {
            UserPipe use = new UserPipe(
                    FileChannel.open(directory.resolve("use"), StandardOpenOption.CREATE, StandardOpenOption.WRITE));
            return new SpawnedServer(new Registration("id", 1, process, process, 1, Secret.of("x")), use);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Member> seen(Membership membership, Member... there) {
        roster.there = List.of(there);
        membership.await(1, Duration.ZERO);
        return membership.members();
    }

    @Test
    void member_thatIsMissing_staysForAWhile() {
        try (Membership patient = membership(Duration.ofHours(1));
                Membership hasty = membership(Duration.ZERO)) {
            assertThat(seen(patient, OTHER)).containsExactly(SELF, OTHER);
            assertThat(seen(patient)).containsExactly(SELF, OTHER);
            assertThat(seen(patient, OTHER_AGAIN)).containsExactly(SELF, OTHER_AGAIN);

            assertThat(seen(hasty, OTHER)).containsExactly(SELF, OTHER);
            assertThat(seen(hasty)).containsExactly(SELF);
        }
        assertThat(roster.closed).isTrue();
    }

    @Test
    void member_thatIsListedTwice_isTheOneThatIsKnownUntilThatIsGone() {
        try (Membership membership = membership(Duration.ofHours(1))) {
            seen(membership, OTHER);

            assertThat(seen(membership, OTHER, OTHER_AGAIN)).containsExactly(SELF, OTHER);
            assertThat(seen(membership, OTHER_AGAIN, OTHER)).containsExactly(SELF, OTHER);
            assertThat(seen(membership, OTHER_AGAIN)).containsExactly(SELF, OTHER_AGAIN);
        }
    }

    @Test
    void roster_thatCannotBeRead_changesNothing() {
        try (Membership membership = membership(Duration.ZERO)) {
            seen(membership, OTHER);
            roster.broken = true;

            assertThat(seen(membership)).containsExactly(SELF, OTHER);
        }
    }

    @Test
    void server_thatIsGone_isStartedAgain() {
        try (Membership membership = membership(Duration.ZERO, new ServerProcess(Long.MAX_VALUE, 1))) {
            assertThat(starts).isEqualTo(1);
            seen(membership);
            assertThat(starts).isEqualTo(2);
        }
    }
}
