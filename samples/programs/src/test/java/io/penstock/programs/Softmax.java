package io.penstock.programs;

import io.penstock.order.Sampler;
import io.penstock.pipeline.Pipeline;
import io.penstock.resume.ResumeToken;
import io.penstock.tensor.Tensor;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A softmax regression, learned by stochastic gradient descent, an example a step. */
final class Softmax {

    private final int classes;
    private final float[] weights; // [inputs, classes]

    Softmax(int inputs, int classes) {
        this.classes = classes;
        this.weights = new float[inputs * classes];
    }

    /** The loss of a picture; at a rate of 0 nothing is learned from it. */
    double loss(Tensor pixels, int label, float rate) {
        float[] inputs = new float[Math.toIntExact(pixels.shape().elements())];
        float[] scores = new float[classes];
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = pixels.longAt(i) / 127.5f - 1;
            add(scores, 0, weights, i * classes, inputs[i]);
        }
        double loss = gradient(scores, label);
        for (int i = 0; rate > 0 && i < inputs.length; i++) {
            add(weights, i * classes, scores, 0, -rate * inputs[i]);
        }
        return loss;
    }

    /** The same of an example in which one input is 1 and all others are 0. */
    double loss(int input, int label, float rate) {
        float[] scores = new float[classes];
        add(scores, 0, weights, input * classes, 1);
        double loss = gradient(scores, label);
        add(weights, input * classes, scores, 0, -rate);
        return loss;
    }

    private void add(float[] to, int at, float[] values, int from, float times) {
        for (int c = 0; c < classes; c++) {
            to[at + c] += times * values[from + c];
        }
    }

    /** Makes scores their gradient, the probabilities less 1 at the label, and returns the cross-entropy. */
    private static double gradient(float[] scores, int label) {
        float max = Float.NEGATIVE_INFINITY;
        for (float score : scores) {
            max = Math.max(max, score);
        }
        double sum = 0;
        for (int c = 0; c < scores.length; c++) {
            scores[c] = (float) Math.exp(scores[c] - max);
            sum += scores[c];
        }
        double loss = Math.log(sum) - Math.log(scores[label]);
        for (int c = 0; c < scores.length; c++) {
            scores[c] /= (float) sum;
        }
        scores[label] -= 1;
        return loss;
    }

    /** Keeps the weights and the resume token in one file, so that a kill leaves both of the same batch. */
    void save(Path file, ResumeToken token) {
        Path unfinished = file.resolveSibling(file.getFileName() + ".new");
        try {
            try (DataOutputStream out =
                    new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(unfinished)))) {
                out.writeUTF(token.toString());
                for (float weight : weights) {
                    out.writeFloat(weight);
                }
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the weights back, and returns the sampler that goes on; the given one where there is no file. */
    Sampler resume(Path file, Sampler sampler, Pipeline<?> pipeline) throws IOException {
        if (!Files.exists(file)) {
            return sampler;
        }
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            ResumeToken token = ResumeToken.parse(in.readUTF());
            for (int i = 0; i < weights.length; i++) {
                weights[i] = in.readFloat();
            }
            return token.resume(sampler, pipeline);
        }
    }
}
