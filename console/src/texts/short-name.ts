const shownMax = 60;

/** Characters of right-to-left scripts, and those that set the direction of others. */
const directed =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Begin and end isolated text. In a name, they could end the isolation of the name itself. */
const isolates = /[\u2066-\u2069]/g;

/** A name in plain text. Isolated if its direction would reorder the words around it. Other names stay as they are. */
export function isolate(name: string): string {
  return directed.test(name) ? `\u2068${name.replace(isolates, '')}\u2069` : name;
}

/** The same for a sentence. Cuts a long name, so that a message shows what happened to the record. */
export function shortName(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= shownMax) return isolate(name);
  const start = characters.slice(0, shownMax - 1).join('');
  return isolate(`${start.trimEnd()}…`);
}

/** Spaces, direction characters and other characters that a page shows as nothing. */
const invisible = /^[\s\u2800\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u;

/** The name of a record, or its number if a page would show the name as nothing. */
export function visibleName({ id, name }: { readonly id: bigint; readonly name: string }): string {
  return invisible.test(name) ? String(id) : name;
}
