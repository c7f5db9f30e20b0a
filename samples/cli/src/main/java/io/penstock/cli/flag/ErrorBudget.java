package io.penstock.cli.flag;

import io.penstock.pipeline.ErrorPolicy;
import java.util.regex.Pattern;

/**
 * How many samples may fail: {@code 10}, or {@code 0.5%} of all.
 *
 * @param samples at most, where it is no share
 * @param share   of all samples in {@code [0, 1]}, negative where it is a number
 */
public record ErrorBudget(long samples, double share) {

    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");
    private static final Pattern SHARE = Pattern.compile("\\d{1,3}(\\.\\d{1,9})?%");

    static ErrorBudget parse(String text) {
        if (NUMBER.matcher(text).matches()) {
            return new ErrorBudget(Long.parseLong(text), -1);
        }
        if (SHARE.matcher(text).matches()) {
            double share = Double.parseDouble(text.substring(0, text.length() - 1)) / 100;
            if (share <= 1) {
                return new ErrorBudget(0, share);
            }
        }
        throw new IllegalArgumentException(
                "a number of samples such as 10, or a share of them such as 0.5%, was expected, was \"" + text + "\"");
    }

    public ErrorPolicy of(ErrorPolicy policy) {
        return share < 0 ? policy.budget(samples) : policy.budgetShare(share);
    }
}
