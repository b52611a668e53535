/** The three forms of a date that are accepted (RFC 9110, section 5.6.7), all of them in GMT. The last one does not say so. */
const dateForms = [
  /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/,
  /^[A-Z][a-z]{5,8}, [0-9]{2}-[A-Z][a-z]{2}-[0-9]{2} [0-9:]{8} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9 ][0-9] [0-9:]{8} [0-9]{4}$/,
];

/**
 * Reads the header `Retry-After` as seconds from now (RFC 9110, section 10.2.3): a number, or a date. Undefined for other texts and
 * for dates in the past.
 */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,10}$/.test(text)) return Number(text);
  if (!dateForms.some((form) => form.test(text))) return undefined;
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  const seconds = Math.ceil((date - now) / 1000);
  return seconds > 0 ? seconds : undefined;
}
