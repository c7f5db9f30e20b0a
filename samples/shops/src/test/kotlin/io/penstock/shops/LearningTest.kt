package io.penstock.shops

import io.penstock.batch.Batch
import io.penstock.batch.Batches
import io.penstock.memory.MemoryDataset
import io.penstock.order.Sampler
import io.penstock.pipeline.Dataset
import io.penstock.tensor.Schema
import io.penstock.tensor.Tensor
import java.nio.file.Files
import java.nio.file.Path
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import reactor.core.publisher.Mono

class LearningTest {

    private val photos: Dataset<Photo> =
        MemoryDataset.generate("photos", 200) { index -> Photo(Tensor.ofFloats(floatArrayOf(index.toFloat()), 1), index.toInt()) }

    private fun labels(batch: Batch): List<Int> = batch.tensor("label").toIntArray().toList()

    @Test
    fun page_showsTheProgram() {
        val root = Path.of(System.getProperty("penstock.root"))
        val program = Files.readString(root.resolve("samples/shops/src/main/kotlin/io/penstock/shops/Learning.kt"))

        assertThat(Files.readString(root.resolve("docs/recipes.md")))
            .contains("```kotlin\n" + program.substring(program.indexOf("data class")) + "```")
    }

    @Test
    fun learn_takesTheBatchesOfReactor_whileItSuspends() {
        val taken = mutableListOf<List<Int>>()
        runBlocking {
            learn(photos) { batch ->
                delay(1)
                taken.add(labels(batch))
            }
        }

        val expected = photos.stream(Sampler.shuffled(42).epochs(10))
            .transform(Batches.of(64, Schema.of(Photo::class.java)))
            .map { batch -> batch.use { labels(it) } }
            .collectList()
            .block()
        assertThat(taken).isEqualTo(expected)
    }

    @Test
    fun flow_thatIsLeft_cancelsTheLoads() {
        val first = photos.stream(Sampler.shuffled(42)).take(64).map { it.draw().index() }.collectList().block()!!.toSet()
        val begun = CompletableDeferred<Unit>()
        val cancelled = CompletableDeferred<Unit>()
        val endless = Dataset.wrapping(photos) { index ->
            if (index in first) photos.get(index)
            else Mono.never<Photo>().doOnSubscribe { begun.complete(Unit) }.doOnCancel { cancelled.complete(Unit) }
        }

        runBlocking {
            val taken = batches(endless, 1).onEach { it.close(); begun.await() }.take(1).toList()
            withTimeout(60_000) { cancelled.await() }

            assertThat(taken).hasSize(1)
        }
    }

    @Test
    fun failure_ofALoad_isThrownInTheCoroutine() {
        val broken = Dataset.wrapping(photos) { index ->
            if (index == 150L) Mono.error(IllegalStateException("broken photo")) else photos.get(index)
        }

        assertThatThrownBy { runBlocking { learn(broken) {} } }.hasMessageContaining("broken photo")
    }
}
