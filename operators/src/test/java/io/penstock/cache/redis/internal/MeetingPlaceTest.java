package io.penstock.cache.redis.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeetingPlaceTest {

    @TempDir
    Path directory;

    private static MeetingPlace of(Map<String, String> environment) {
        return MeetingPlace.of("", environment);
    }

    @Test
    void place_thatIsNotSaid_isWhereTheLauncherSays() {
        assertThat(of(Map.of("MASTER_ADDR", "node0", "MASTER_PORT", "29500"))).hasToString("node0:29501");
        assertThat(of(Map.of("MASTER_ADDR", "fd00::1", "MASTER_PORT", "29500")).host())
                .isEqualTo("fd00::1");
        assertThat(of(Map.of("SLURM_JOB_NODELIST", "gpu[07-10,12]", "SLURM_JOB_ID", "1234567")))
                .hasToString("gpu07:24567");
        assertThat(of(Map.of("SLURM_JOB_NODELIST", "a3,b[1-2]", "SLURM_JOB_ID", "1")))
                .hasToString("a3:20001");
        assertThat(of(Map.of("SLURM_STEP_NODELIST", "b2.x", "SLURM_JOB_NODELIST", "b[1-2].x", "SLURM_JOB_ID", "20000")))
                .hasToString("b2.x:20000");
        assertThat(of(Map.of("SLURM_JOB_NODELIST", "r[1,4]-x,s", "SLURM_JOB_ID", "2")))
                .hasToString("r1-x:20002");
    }

    @Test
    void nodes_asTheLauncherSays() {
        Map<String, String> torchrun = Map.of(
                "RANK",
                "5",
                "WORLD_SIZE",
                "8",
                "LOCAL_RANK",
                "1",
                "LOCAL_WORLD_SIZE",
                "2",
                "MASTER_ADDR",
                "localhost",
                "MASTER_PORT",
                "1");

        assertThat(of(torchrun).nodes()).isEqualTo(4);
        assertThat(MeetingPlace.of("a:1", Map.of()).nodes()).isEqualTo(1);
        assertThatThrownBy(() -> of(torchrun).local(""))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("bind=ADDRESS");
    }

    @Test
    void address_ofTheNode_isTheOneThatReachesThePlace() {
        MeetingPlace place = MeetingPlace.of("127.0.0.1:1", Map.of());

        assertThat(place.local("")).isEqualTo("127.0.0.1");
        assertThat(place.isAt(place.local(""))).isTrue();
        assertThat(place.isAt("127.0.0.2")).isFalse();
        assertThat(place.isAt("10.0.0.1")).as("a name that means loopback here").isTrue();
    }

    @Test
    void password_thatIsNotGiven_isRefused() {
        MeetingPlace place = MeetingPlace.of("127.0.0.1:1", Map.of());

        assertThat(place.password(Secret.of("x")).reveal()).isEqualTo("x");
        assertThatThrownBy(() -> place.password(Secret.NONE)).hasMessageContaining("PENSTOCK_REDIS_PASSWORD");
    }

    @Test
    void folder_ofTheNodes_keepsAPasswordAndWhoIsThere() throws IOException {
        Path folder = directory.resolve("job");
        MeetingPlace place = MeetingPlace.of(folder.toString(), Map.of());
        Secret password = place.password(Secret.NONE);

        assertThat(password.reveal()).hasSize(48);
        assertThat(place.password(Secret.NONE)).isEqualTo(password);
        assertThat(place.isAt("10.0.0.1")).isFalse();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> place.password(Secret.NONE)).hasMessageContaining("chmod 700");
    }

    @Test
    void member_ofAFolder_isOnTheListWhileItsFileIsYoung() throws IOException {
        Member a = new Member("a", "10.0.0.1", 1);
        Member b = new Member("b", "10.0.0.2", 2);
        Roster atA = new FolderRoster(directory);
        Roster atB = new FolderRoster(directory);

        assertThat(atA.renew(a)).containsExactly(a);
        assertThat(atB.renew(b)).containsExactlyInAnyOrder(a, b);
        Path file = directory.resolve("node-a");
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
        assertThat(atB.renew(b)).containsExactly(b);
        assertThat(file).exists();
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(6_000)));
        assertThat(atB.renew(b)).containsExactly(b);
        assertThat(file).doesNotExist();
        assertThat(atA.renew(a)).containsExactlyInAnyOrder(a, b);
        atA.close();
        assertThat(atB.renew(b)).containsExactly(b);
    }
}
