import { kindNames, texts } from '../texts/webhooks.ts';

/** A type, or all types of a kind as `pet.*`, in words. Single types have their names of the API. */
export function describeType(type: string): string {
  const [kind = '', rest] = type.split('.');
  return (rest === '*' ? kindNames[kind] : undefined) ?? type;
}

export function describeTypes(types: readonly string[] | undefined): string {
  return types === undefined ? texts.allTypes : types.map(describeType).join(', ');
}

/** How far a webhook is, if the newest event is known. */
export function describePosition(position: bigint, head: bigint | undefined): string {
  if (head === undefined) return texts.after(position);
  // Events that were added since the head was read may be sent already.
  return head <= position ? texts.upToDate : texts.behind(head - position);
}
