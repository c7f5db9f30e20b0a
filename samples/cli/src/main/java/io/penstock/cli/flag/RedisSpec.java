package io.penstock.cli.flag;

import io.penstock.cache.redis.RedisOptions;
import io.penstock.cache.redis.RedisTier;

/**
 * A cache in Redis, as {@code --cache-redis} says it. Arguments are for all to see in the list of processes, so a
 * password among them is refused.
 *
 * @param options where it is, and how it is dealt with
 */
public record RedisSpec(RedisOptions options) {

    private static final String FROM_ENVIRONMENT = "env:";

    public static RedisSpec parse(String text) {
        if (text.startsWith(FROM_ENVIRONMENT)) {
            String variable = text.substring(FROM_ENVIRONMENT.length());
            String uri = System.getenv(variable);
            if (uri == null) {
                throw new IllegalArgumentException("the environment has no " + variable);
            }
            return new RedisSpec(RedisTier.at(uri).credentialsFromEnvironment());
        }
        if (text.matches("[^?]*//[^/?]*:[^/?]*@.*")) {
            throw new IllegalArgumentException(
                    "a password on the command line shows in the list of processes; set PENSTOCK_REDIS_PASSWORD, or"
                            + " use ?password-file=FILE, or env:VARIABLE with the whole URI");
        }
        return new RedisSpec(RedisTier.at(text).credentialsFromEnvironment());
    }

    public RedisTier open() {
        return options.open();
    }
}
