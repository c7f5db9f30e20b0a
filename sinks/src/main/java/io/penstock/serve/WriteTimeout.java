package io.penstock.serve;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.penstock.internal.Notice;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a connection that takes no byte of what waits for it, so that a lost peer does not stop the other consumers.
 */
final class WriteTimeout extends IdleStateHandler {

    private static final Logger LOG = LoggerFactory.getLogger(BatchServer.class);

    private final Duration patience;

    WriteTimeout(Duration patience) {
        super(true, 0, patience.toMillis(), 0, TimeUnit.MILLISECONDS);
        this.patience = patience;
    }

    @Override
    protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
        ChannelOutboundBuffer waiting = context.channel().unsafe().outboundBuffer();
        if (waiting != null && waiting.totalPendingWriteBytes() > 0) {
            context.close()
                    .addListener(closed -> Notice.warn(
                            LOG,
                            "a consumer took nothing for {} and was sent away; it can come back with its token",
                            patience));
        }
    }
}
