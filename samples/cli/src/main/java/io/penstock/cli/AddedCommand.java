package io.penstock.cli;

import java.util.concurrent.Callable;

/**
 * A picocli command of another module. It is in the program where that module is on the class path, by
 * {@link java.util.ServiceLoader}.
 */
public interface AddedCommand extends Callable<Integer> {}
