package io.penstock.cli.flag;

import io.penstock.pipeline.ErrorPolicy;
import java.util.function.UnaryOperator;

/** How many samples may fail: {@code 10}, or {@code 0.5%} of all. */
public record ErrorBudget(UnaryOperator<ErrorPolicy> of) {

    static ErrorBudget parse(String text) {
        if (text.matches("\\d{1,18}")) {
            long samples = Long.parseLong(text);
            return new ErrorBudget(policy -> policy.budget(samples));
        }
        if (text.matches("\\d{1,3}(\\.\\d{1,9})?%")) {
            double share = Double.parseDouble(text.substring(0, text.length() - 1)) / 100;
            if (share <= 1) {
                return new ErrorBudget(policy -> policy.budgetShare(share));
            }
        }
        throw new IllegalArgumentException(
                "a number of samples such as 10, or a share of them such as 0.5%, was expected, was \"" + text + "\"");
    }
}
