package io.penstock.shops;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The cache of an application.
 *
 * @param ram      what it may hold in memory
 * @param disk     the folder of its tier on disk; none if null
 * @param diskSize what it may hold there
 */
@ConfigurationProperties("penstock.cache")
public record CacheProperties(
        @DefaultValue("256MB") DataSize ram,
        @Nullable Path disk,
        @DefaultValue("10GB") DataSize diskSize) {}
