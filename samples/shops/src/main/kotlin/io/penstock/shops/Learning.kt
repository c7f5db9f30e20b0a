package io.penstock.shops

import io.penstock.batch.Batch
import io.penstock.batch.Batches
import io.penstock.order.Sampler
import io.penstock.pipeline.Dataset
import io.penstock.tensor.Schema
import io.penstock.tensor.Tensor
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.reactive.asFlow

data class Photo(val pixels: Tensor, val label: Int)

fun batches(photos: Dataset<Photo>, epochs: Long): Flow<Batch> =
    photos.stream(Sampler.shuffled(42).epochs(epochs))
        .transform(Batches.of(64, Schema.of(Photo::class.java)))
        .asFlow()
        .buffer(Channel.RENDEZVOUS)

suspend fun learn(photos: Dataset<Photo>, step: suspend (Batch) -> Unit) =
    batches(photos, epochs = 10).collect { batch -> batch.use { step(it) } }
