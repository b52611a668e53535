/**
 * Reads the header `Retry-After` as seconds from now (RFC 9110, section 10.2.3): a number, or a date. Undefined for other texts and
 * for dates in the past.
 */
export function parseRetryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,10}$/.test(text)) return Number(text);
  const isDate = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/.test(text);
  const seconds = isDate ? Math.ceil((Date.parse(text) - now) / 1000) : Number.NaN;
  return seconds > 0 ? seconds : undefined;
}
