package io.penstock.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import org.junit.jupiter.api.Test;

class RankOrderTest {

    @Test
    void order_atTheEndOfAnEpoch_hasOnlySamples() {
        Sampler sampler = Sampler.shuffled(42).epochs(2);
        Draws draws = sampler.draws(48);
        ObjectNode node = JsonNodeFactory.instance.objectNode();

        RankOrder.addTo(node, sampler, new Position(0, 44), 48, 3);

        assertThat(node.path("next").toString())
                .isEqualTo("[[%d,%d],[%d],[%d]]"
                        .formatted(
                                draws.at(44).index(),
                                draws.at(47).index(),
                                draws.at(45).index(),
                                draws.at(46).index()));
    }
}
