/** Whether a text is a valid name of an animal, by rules that are independent of those of the service. */
export function isName(text: string): boolean {
  const { length } = [...text];
  const isSeen = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
  const isPrintable = text.isWellFormed() && !/\p{Cc}/u.test(text) && isSeen;
  return length >= 1 && length <= 255 && isPrintable;
}
