import { nameLengthMax } from '../../domain/name.ts';

/** Messages by error code. The service writes those of other codes. */
export const errorTexts = {
  connection_failed: 'The server cannot be reached. Check the connection, then try again.',
  timed_out: 'The server did not answer in time. Try again.',
  outcome_unknown: 'The server may have done this. Check the list, then try again.',
  missing_api_key: 'Your session ended before this was done. Try again.',
  insufficient_scope: 'Your key does not have the permission for this.',
  rate_limited: 'Too many requests were sent in a short time. Try again in a moment.',
  unavailable: 'The server cannot do this at the moment. Try again soon.',
} as const;

/** Of a row of an import. A form asks for the name instead. */
export const nameMissing = 'The name is missing.';

export const nameFaultTexts = {
  blank: 'Enter a name.',
  too_long: `A name has at most ${nameLengthMax} characters.`,
  control_character: 'A name has no tabs, line ends or other control characters.',
  lone_surrogate: 'The name contains a broken character (a lone surrogate).',
} as const;
