const dateTime =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** A longer text would only have more digits of a second. */
export const dateTimeLengthMax = 64;

const minute = 60_000;

/**
 * Reads a date and time with an offset (RFC 3339) as milliseconds since 1970, and drops smaller parts. Undefined for times that
 * do not exist (30 February, second 60), and for years outside 0 to 9999 in UTC.
 */
export function parseDateTime(text: string): number | undefined {
  const match = text.length > dateTimeLengthMax ? null : dateTime.exec(text);
  if (match === null) return undefined;
  const [, date = '', hours = '', minutes = '', seconds = '', fraction = ''] = match;
  const [sign = '+', offsetHours = '00', offsetMinutes = '00'] = match.slice(6);
  if (offsetHours > '23' || offsetMinutes > '59') return undefined;
  const local = `${date}T${hours}:${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const time = Date.parse(local);
  // Parsers accept various wrong dates, so the result must be written again as it was read.
  if (Number.isNaN(time) || new Date(time).toISOString() !== local) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * minute;
  const utc = sign === '-' ? time + offset : time - offset;
  return new Date(utc).toISOString().length === local.length ? utc : undefined;
}
