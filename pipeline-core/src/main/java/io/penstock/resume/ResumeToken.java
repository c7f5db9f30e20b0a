package io.penstock.resume;

import io.penstock.fault.StoreException;
import io.penstock.internal.AtomicFile;
import io.penstock.internal.Crc32c;
import io.penstock.internal.FileErrors;
import io.penstock.internal.FileWork;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.ShardMode;
import io.penstock.pipeline.Pipeline;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where a run goes on: a few integers in versioned JSON, with hashes of its plan.
 * <pre>{@code
 *  ResumeToken plan = ResumeToken.of(pipeline, sampler);
 *  batches.doOnNext(batch -> { step(batch); plan.at(batch.next()).save(file); batch.close(); })
 *
 *  sampler = ResumeToken.load(file).resume(sampler, pipeline);      // of the next process
 * }</pre>
 *
 * <p>A token counts the draws of all ranks, so it is valid at any world size, number of workers and batch size. If all
 * ranks have done the same number of batches of an epoch, or all of it, any rank's token serves; under {@link
 * Remainder#KEEP} up to a draw a rank is then made again. Otherwise take the one of the smallest {@link Position}; some
 * ranks' batches are then drawn again. Samples that were loaded and
 * not delivered are drawn again, too. A token within an epoch of an unordered run, which
 * {@link io.penstock.stream.Execution#window} allows, is that of its rank: it names the draws delivered ahead of their
 * turn.
 *
 * <p>A token is refused for another source, other stages, another order or another seed, since the same position means
 * other samples there. The shard mode and its number of partitions decide the order within an epoch: a token inside an
 * epoch keeps them, a token between two epochs goes with any. The weights of a {@link Sampler#mixed} order may change
 * at a token, which says how far each source has come.
 *
 * <p>Immutable.
 */
public final class ResumeToken {

    private static final int VERSION = 3;
    private static final int LONGEST = 1 << 16;

    /** Rank, world size and {@link Position#ahead}. */
    private static final Pattern AHEAD = Pattern.compile("(\\d{1,9})/(\\d{1,9}):([0-9a-f]{1,8192})");

    private final long seed;
    private final Position position;
    private final ShardMode mode;
    private final PlanPrint plan;

    /** Whose draws the position tells of that were delivered ahead of their turn; null if it is any rank's. */
    private final @Nullable Shard shard;

    /** The weights of a mixed order, null for others. */
    private final @Nullable String mixture;

    private ResumeToken(
            long seed,
            Position position,
            ShardMode mode,
            @Nullable Shard shard,
            PlanPrint plan,
            @Nullable String mixture) {
        this.seed = seed;
        this.position = position;
        this.mode = mode;
        this.shard = shard;
        this.plan = plan;
        this.mixture = mixture;
    }

    /** The token of a plan where its sampler starts; {@link #at} has those of other positions. */
    public static ResumeToken of(Pipeline<?> pipeline, Sampler sampler) {
        return new ResumeToken(
                sampler.seed(),
                sampler.start(),
                sampler.resolvedMode(),
                sampler.shard(),
                PlanPrint.of(pipeline, sampler),
                sampler.mixture().orElse(null));
    }

    /**
     * The token of another position of the same plan, such as a batch names.
     * @throws IllegalArgumentException if the position is that of one rank, and this token was read and names no rank
     */
    public ResumeToken at(Position next) {
        if (shard == null && next.ahead().signum() != 0) {
            throw new IllegalArgumentException(
                    ("%s is that of one rank, and a token that was read in order names none; make it of the rank's"
                                    + " sampler: ResumeToken.of(pipeline, sampler)")
                            .formatted(next));
        }
        return new ResumeToken(seed, next, mode, shard, plan, mixture);
    }

    public long seed() {
        return seed;
    }

    public Position position() {
        return position;
    }

    /** How ranks shared the data, with the number of partitions if there are any. */
    public ShardMode mode() {
        return mode;
    }

    /**
     * A sampler that goes on here. If it leaves the number of partitions open, it gets this token's.
     * @throws IllegalArgumentException if sampler and pipeline are not those that the token was made by: says what
     *     differs
     */
    public Sampler resume(Sampler sampler, Pipeline<?> pipeline) {
        Sampler here = goingOn(sampler);
        List<String> differences = new ArrayList<>(plan.differencesFrom(pipeline, here));
        if (seed != sampler.seed()) {
            differences.add("another seed: %d there, %d here".formatted(seed, sampler.seed()));
        }
        ShardMode wanted = sampler.mode().partitionedAs(mode);
        if (position.offset() > 0 && !wanted.equals(mode)) {
            differences.add("another shard mode, in the middle of an epoch: %s there, %s here".formatted(mode, wanted));
        }
        if (position.ahead().signum() != 0) {
            requireSame(here, differences);
        }
        if (!differences.isEmpty()) {
            throw new IllegalArgumentException(differences.stream()
                    .collect(Collectors.joining("; ", "the resume token is of another plan: ", "")));
        }
        return here.mode(wanted).resumeAt(position);
    }

    /** What was delivered ahead of its turn are draws of one rank, in one order. */
    private void requireSame(Sampler here, List<String> differences) {
        Shard shard = rank();
        if (!shard.equals(here.shard())) {
            differences.add(("another rank or world size, in the middle of an epoch that was not in order: "
                            + "rank %d of %d there, rank %d of %d here; end the epoch first")
                    .formatted(
                            shard.rank(),
                            shard.worldSize(),
                            here.shard().rank(),
                            here.shard().worldSize()));
        }
        if (!Objects.equals(mixture, here.mixture().orElse(null))) {
            differences.add("other weights, in the middle of an epoch that was not in order; end the epoch first");
        }
    }

    /** The sampler, whose sources go on where they were if it mixes some; another plan's is left as it is. */
    private Sampler goingOn(Sampler sampler) {
        if (sampler.mixture().isEmpty() || !plan.order().equals(sampler.order())) {
            return sampler;
        }
        if (mixture == null) {
            throw new IllegalArgumentException("the resume token is damaged: it has no weights of its mixture");
        }
        return sampler.resumeMixture(mixture, plan.samples(), position);
    }

    /**
     * Reads what {@link #toString} wrote.
     * @throws IllegalArgumentException if it is no token, or one of another version
     */
    public static ResumeToken parse(String text) {
        try {
            if (text.length() > LONGEST) {
                throw malformed("it has more than %d bytes".formatted(LONGEST));
            }
            TokenText read = new TokenText(text);
            requireVersion(read.number("v"));
            long epoch = read.number("epoch");
            long offset = read.number("offset");
            PlanPrint plan =
                    new PlanPrint(read.text("source"), read.list("stages"), read.text("order"), read.number("samples"));
            require(epoch >= 0, "epoch", epoch, "a number from 0 on");
            require(plan.samples() >= 0, "samples", plan.samples(), "a number from 0 on");
            require(
                    offset >= 0 && offset <= plan.samples(),
                    "offset",
                    offset,
                    "a number in [0, %d]".formatted(plan.samples()));
            require(plan.hasSource(), "source", plan.source(), "16 hexadecimal digits");
            require(plan.hasStages(), "stages", plan.stages(), "a list of 8 hexadecimal digits each");
            ShardMode mode = ShardMode.parse(read.text("shard"));
            String mixture = read.has("mixture") ? read.text("mixture") : null;
            Position position = new Position(epoch, offset);
            Shard shard = null;
            if (read.has("ahead")) {
                Matcher ahead = AHEAD.matcher(read.text("ahead"));
                require(ahead.matches(), "ahead", read.text("ahead"), "what an unordered run wrote");
                shard = Shard.of(Integer.parseInt(ahead.group(1)), Integer.parseInt(ahead.group(2)));
                position = new Position(epoch, offset, new BigInteger(ahead.group(3), 16));
            }
            ResumeToken token = new ResumeToken(read.number("seed"), position, mode, shard, plan, mixture);
            if (read.has("check") && !read.text("check").equals(check(token.fields()))) {
                throw new IllegalArgumentException(
                        "this resume token was changed: its check is not that of its fields; give it as it was written");
            }
            return token;
        } catch (NoSuchElementException e) {
            throw malformed(String.valueOf(e.getMessage()));
        }
    }

    private static void require(boolean holds, String field, Object found, String wanted) {
        if (!holds) {
            throw TokenText.wrong(field, found, wanted);
        }
    }

    private static void requireVersion(long version) {
        if (version != VERSION) {
            String advice = version < VERSION
                    ? ": the orders of samples have changed since, so its position means other samples here; end the run "
                            + "with the release that wrote it, or begin its epoch again, without the token"
                    : "";
            throw new IllegalArgumentException("this resume token is of version %d, this program reads version %d%s"
                    .formatted(version, VERSION, advice));
        }
    }

    private static IllegalArgumentException malformed(String why) {
        return new IllegalArgumentException(
                "this is no resume token: %s; give the text that an earlier run printed or saved".formatted(why));
    }

    /**
     * Reads a file that {@link #save} wrote.
     * @throws IllegalArgumentException if it is none
     * @throws StoreException if it cannot be read
     */
    public static ResumeToken load(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(LONGEST + 1); // a device may have no end
            if (bytes.length > LONGEST) {
                throw new IllegalArgumentException(
                        "%s is no resume token: it has more than %d bytes".formatted(file, LONGEST));
            }
            return parse(new String(bytes, StandardCharsets.UTF_8).strip());
        } catch (IOException e) {
            throw new StoreException("cannot read the resume token %s: %s".formatted(file, FileErrors.reason(e)), e);
        }
    }

    /**
     * Replaces a file by this token atomically: a reader finds this token or the one before, also after the process was
     * killed. Blocks. The file is not forced to the disk, so a crash of the machine may lose it.
     * @throws StoreException if it cannot be written, or another thing than a file is there
     */
    public void save(Path file) {
        Path absolute = file.toAbsolutePath();
        if (Files.exists(absolute) && !Files.isRegularFile(absolute)) {
            throw new StoreException(
                    "cannot save the resume token as %s: a file was wanted, a folder or a device is there"
                            .formatted(file));
        }
        FileWork.run("cannot save the resume token as " + file, () -> AtomicFile.write(absolute, this + "\n"));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ResumeToken token
                && token.seed == seed
                && token.position.equals(position)
                && token.mode.equals(mode)
                && token.plan.equals(plan)
                && Objects.equals(token.mixture, mixture);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(seed) * 31 + position.hashCode();
    }

    /** The rank whose position it is, if it is one's. */
    private Shard rank() {
        return Objects.requireNonNull(shard, "rank");
    }

    private String ahead() {
        return position.ahead().signum() == 0
                ? ""
                : ",\"ahead\":\"" + rank().rank() + "/" + rank().worldSize() + ":"
                        + position.ahead().toString(16) + "\"";
    }

    /** The token as one line of JSON. */
    @Override
    public String toString() {
        String fields = fields();
        return fields + ",\"check\":\"" + check(fields) + "\"}";
    }

    /** Eight digits that an accident among the fields changes; tokens of before have none. */
    private static String check(String fields) {
        return HexFormat.of().toHexDigits(Crc32c.of(fields.getBytes(StandardCharsets.UTF_8)));
    }

    private String fields() {
        String stages = plan.stages().stream().map(hash -> '"' + hash + '"').collect(Collectors.joining(","));
        // not by a format: a server writes one a batch, on the thread that fills batches
        return "{\"v\":" + VERSION + ",\"seed\":" + seed + ",\"epoch\":" + position.epoch() + ",\"offset\":"
                + position.offset() + ahead() + ",\"samples\":" + plan.samples() + ",\"order\":\"" + plan.order()
                + (mixture == null ? "" : "\",\"mixture\":\"" + mixture)
                + "\",\"shard\":\"" + mode + "\",\"source\":\"" + plan.source() + "\",\"stages\":[" + stages + "]";
    }
}
