/** Texts as tokens, by the tokenizers of well-known models. Each class says which library it needs on the class path. */
@NullMarked
package io.penstock.token;

import org.jspecify.annotations.NullMarked;
