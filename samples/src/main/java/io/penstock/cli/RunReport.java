package io.penstock.cli;

/**
 * What a whole run came to.
 *
 * @param epochs  the number of epoch reports before this one
 * @param seconds from the first subscription to the last batch
 * @param resume  where another run goes on
 * @param skipped samples left out in all epochs
 * @param verdict what limits the run and what would change it
 */
record RunReport(long epochs, double seconds, ResumeToken resume, long skipped, String verdict) {}
