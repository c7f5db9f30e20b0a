package io.penstock.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.training.loss.Loss;

/**
 * A loss of the valid rows alone. It leaves out the rows that pad a batch to its size, so the last batch of an epoch
 * counts for what it holds. A batch without a mask is evaluated whole; one without valid rows has the loss 0.
 * <pre>{@code
 *  new DefaultTrainingConfig(MaskedLoss.of(Loss.softmaxCrossEntropyLoss()))
 * }</pre>
 *
 * <p>Labels are those of {@link NdDataset}: a last array of booleans behind others is the mask. Valid rows come first.
 * Other evaluators of a trainer see the padded rows. A validation that keeps its remainder has none.
 */
public final class MaskedLoss extends Loss {

    private final Loss loss;

    private MaskedLoss(Loss loss) {
        super(loss.getName());
        this.loss = loss;
    }

    /** Over a loss whose arrays have a row for each sample. */
    public static MaskedLoss of(Loss loss) {
        return new MaskedLoss(loss);
    }

    @Override
    public NDArray evaluate(NDList labels, NDList predictions) {
        NDArray mask = labels.get(labels.size() - 1);
        if (labels.size() == 1 || mask.getDataType() != DataType.BOOLEAN) {
            return loss.evaluate(labels, predictions);
        }
        long valid = mask.toType(DataType.INT64, true).sum().getLong();
        if (valid == 0) {
            return predictions.head().sum().mul(0);
        }
        return loss.evaluate(first(valid, labels.subNDList(0, labels.size() - 1)), first(valid, predictions));
    }

    private static NDList first(long rows, NDList arrays) {
        NDList first = new NDList();
        arrays.forEach(array -> first.add(array.get(":" + rows)));
        return first;
    }
}
