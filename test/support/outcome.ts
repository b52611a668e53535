/** What a command gave that was done; it throws where it was refused. */
export function done<Ok>(outcome: { readonly ok: Ok } | { readonly refused: string }): Ok {
  if ('refused' in outcome) throw new Error(`It was refused: ${outcome.refused}`);
  return outcome.ok;
}
