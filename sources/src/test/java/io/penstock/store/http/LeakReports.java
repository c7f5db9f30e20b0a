package io.penstock.store.http;

import io.netty.util.ResourceLeakDetector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Keeps what Netty reports of buffers that nobody gave back, where it would log. The build names it to Netty, which makes
 * one for each kind of resource.
 */
public final class LeakReports<T> extends ResourceLeakDetector<T> {

    private static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();

    /** As Netty calls it. */
    public LeakReports(Class<?> resource, int samplingInterval) {
        super(resource, samplingInterval);
    }

    /** As Netty calls it where it is of an older form. */
    public LeakReports(Class<?> resource, int samplingInterval, long maxActive) {
        super(resource, samplingInterval);
    }

    /** Takes what was reported since it was last taken. */
    static String take() {
        StringBuilder taken = new StringBuilder();
        for (String report = REPORTS.poll(); report != null; report = REPORTS.poll()) {
            taken.append(report).append('\n');
        }
        return taken.toString();
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    @Override
    protected void reportTracedLeak(String resource, String records) {
        REPORTS.add(resource + " was not given back: " + records);
    }

    @Override
    protected void reportUntracedLeak(String resource) {
        REPORTS.add(resource + " was not given back");
    }
}
