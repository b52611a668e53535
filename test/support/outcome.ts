/** Returns the result of a command. Throws if the command was refused. */
export function okOf<Ok>(outcome: { readonly ok: Ok } | { readonly refused: string }): Ok {
  if ('refused' in outcome) throw new Error(`It was refused: ${outcome.refused}`);
  return outcome.ok;
}
