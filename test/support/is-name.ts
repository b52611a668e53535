/** Whether a text can be the name of an animal, by rules written down apart from those of the service. */
export function isName(text: string): boolean {
  const { length } = [...text];
  const isPrintable = text.isWellFormed() && !/\p{Cc}/u.test(text) && /\S/u.test(text);
  return length >= 1 && length <= 255 && isPrintable;
}
