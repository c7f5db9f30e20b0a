package io.penstock.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FreeMemoryTest {

    private static final long KIB = 1024;

    @TempDir
    Path root;

    private void write(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @BeforeEach
    void writeMachine() throws IOException {
        write("proc/meminfo", "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    800 kB\n");
    }

    private void assertMemory(long total, long free) {
        FreeMemory memory = FreeMemory.under(root);

        assertThat(memory.total()).isEqualTo(total);
        assertThat(memory.free()).isEqualTo(free);
    }

    @Test
    void machine_withoutGroups_saysWhatIsAvailable() {
        assertMemory(1000 * KIB, 800 * KIB);
    }

    @Test
    void group2_withALimit_countsCachedFilesAsFree() throws IOException {
        write("proc/self/cgroup", "0::/job\n");
        write("sys/fs/cgroup/job/memory.max", "500000\n");
        write("sys/fs/cgroup/job/memory.current", "300000\n");
        write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 100000\nfile 7\n");

        assertMemory(500_000, 300_000);
    }

    @Test
    void group2_aroundTheOwn_limitsToo() throws IOException {
        write("proc/self/cgroup", "0::/pod/container\n");
        write("sys/fs/cgroup/pod/memory.max", "400000\n");
        write("sys/fs/cgroup/pod/memory.current", "390000\n");
        write("sys/fs/cgroup/pod/container/memory.max", "max\n");
        write("sys/fs/cgroup/pod/container/memory.current", "5\n");

        assertMemory(400_000, 10_000);
    }

    @Test
    void group2_insideAContainer_isTheMountItself() throws IOException {
        write("proc/self/cgroup", "0::/../../kubepods/pod1\n");
        write("sys/fs/cgroup/memory.max", "200000\n");
        write("sys/fs/cgroup/memory.current", "50000\n");

        assertMemory(200_000, 150_000);
    }

    @Test
    void group1_withALimit_countsToo() throws IOException {
        write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:hugetlb,memory:/a/b\n0::/\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("sys/fs/cgroup/memory/memory.usage_in_bytes", "77\n");
        write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "600000\n");
        write("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "600001\n");
        write("sys/fs/cgroup/memory/a/b/memory.stat", "inactive_file 5\ntotal_inactive_file 1000\n");

        assertMemory(600_000, 999);
    }

    @Test
    void group_thatIsOverdrawn_leavesNothing() throws IOException {
        write("proc/self/cgroup", "0::/\n");
        write("sys/fs/cgroup/memory.max", "1000\n");
        write("sys/fs/cgroup/memory.current", "5000\n");

        assertMemory(1000, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "max", "-5", "1e6", "99999999999999999999", "12 34", "1\n2", "\u0000\u00ff"})
    void group_withNonsense_limitsNothing(String nonsense) throws IOException {
        write("proc/self/cgroup", "0::/\n:::\n0:\n4:memory\n4:memory:\n4:memory:/../../..\n");
        write("sys/fs/cgroup/memory.max", nonsense);
        write("sys/fs/cgroup/memory.stat", nonsense);
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", nonsense);

        assertMemory(1000 * KIB, 800 * KIB);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "MemTotal: many kB\nMemAvailable: 5 kB", "MemAvailable: 5 kB"})
    void machine_withNonsense_asksTheJvm(String nonsense) throws IOException {
        write("proc/meminfo", nonsense);

        assertThat(FreeMemory.under(root).total()).isBetween(64L << 20, 1L << 50);
        assertThat(FreeMemory.under(root).free()).isGreaterThan(0);
    }

    @Test
    void now_onThisMachine_isPlausible() {
        FreeMemory memory = FreeMemory.now();

        assertThat(memory.total()).isGreaterThanOrEqualTo(memory.free());
        assertThat(memory.free()).isPositive();
    }
}
