const loneSurrogate = /\p{Surrogate}/u;

/** `String.prototype.isWellFormed`, which browsers of 2023 lack. */
export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}
