/** What a run tells of its epochs, for people and as JSON, and its verdict. */
@NullMarked
package io.penstock.cli.report;

import org.jspecify.annotations.NullMarked;
