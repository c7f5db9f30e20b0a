package io.penstock.serve;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a connection that has not made an acceptable request in time, even if it sends bytes. After its first request
 * a consumer may be silent for as long as it works on a batch.
 */
final class FirstRequestTimeout extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(BatchServer.class);

    private final Duration time;
    private @Nullable Future<?> end;

    FirstRequestTimeout(Duration time) {
        this.time = time;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        end = context.executor().schedule(() -> close(context), time.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void close(ChannelHandlerContext context) {
        context.close().addListener(closed -> LOG.debug("a connection that asked for nothing in {} was closed", time));
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (end != null) {
            end.cancel(false);
        }
    }

    /** Ends the timeout of a connection: its request was accepted. */
    static void cancel(Channel channel) {
        if (channel.pipeline().get(FirstRequestTimeout.class) != null) {
            channel.pipeline().remove(FirstRequestTimeout.class);
        }
    }
}
