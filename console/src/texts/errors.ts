import type { ErrorCode } from '../../../client/src/contract.ts';
import type { AnimalStoreError, ClientErrorCode } from '../../../client/src/error.ts';
import { scopes } from '../../../src/domain/access/api-key.ts';
import { nameLengthMax } from '../../../src/domain/name.ts';
import { texts as categoryTexts } from './categories.ts';
import { common } from './common.ts';
import { texts as keyTexts } from './keys.ts';
import { localCount, pluralize } from './local-count.ts';
import { draftTexts } from './orders.ts';
import { texts as sessionTexts } from './session.ts';

/** What a message of the service becomes. `$1` is the first group of the pattern, such as a number. */
type Rule = readonly [pattern: RegExp, sentence: string | ((...groups: string[]) => string)];

/** The first rule that matches is used, or else the sentence at the end. The wording of a message may change. */
type Sentences = string | readonly [...Rule[], string];

const otherVersion =
  'This page and the server do not have the same version. Load the page again, then try again.';

const withSeparators = (text: string) => localCount(Number(text));

/** A sentence for each error, with the facts of its message. */
const sentences: Readonly<Record<ErrorCode | ClientErrorCode, Sentences>> = {
  connection_failed: 'The server cannot be reached. Check the connection, then try again.',
  timed_out: 'The server did not answer in time. Try again.',
  unexpected_response: [
    [
      /^(HTTP \d+).*/,
      'A proxy or another program answered in place of the server ($1). Try again.',
    ],
    'A proxy or another program answered in place of the server. Try again.',
  ],
  invalid_json: 'The request did not arrive as a whole. Try again.',
  invalid_body: [
    [
      /^url must begin .*/s,
      'The URL must begin with https://. Its host name must exist and have public addresses only, and its port must be 443 or from 1024 on, unless the operator of the server permits the target (--webhook-allow).',
    ],
    [
      /^url must be .* at most (\d+) characters.*/s,
      'The URL must begin with https:// and have at most $1 characters. It must not contain a user, a password or a fragment.',
    ],
    [/.*/s, describeFields],
    '',
  ],
  invalid_parameter: otherVersion,
  invalid_cursor: 'The list cannot be continued at this place. Load the page again.',
  invalid_header: otherVersion,
  unknown_field: otherVersion,
  missing_api_key: 'Your session ended before this was done. Try again.',
  invalid_api_key: [
    [/^The link .*/, 'The link is incomplete, was used before, or is older than five minutes.'],
    'The API key is not valid here: it is incomplete, has expired, was revoked, or is for another server.',
  ],
  insufficient_scope: [
    [/^Only an owner .*/, 'Only an owner can do this. Sign in with a link of the server.'],
    [/.* scope (\S+)$/, describeScope],
    'Your key does not have the permission for this.',
  ],
  forbidden_origin: [
    [
      /.*--base-url (https?:\S+) .* open (\S+)$/,
      'The console needs HTTPS, except on this machine. The operator of the server starts it with --base-url $1 behind a proxy with TLS. Then open $2',
    ],
    [
      /.* Open the console at (\S+)$/,
      'Sign-in does not work at the address of this page. Open the console at $1',
    ],
    'The server does not know the address of this page. Ask its operator for the address of the console (--base-url).',
  ],
  not_found: [
    [/^There is no (\w+) (-?\d+)$/, describeMissing],
    'This was deleted, or never existed.',
  ],
  route_not_found: otherVersion,
  method_not_allowed: otherVersion,
  conflict: [
    [
      /^Order (\d+) for animal (\d+) is open.*/,
      'Order $1 reserves animal $2. Hand it over, or cancel the reservation first.',
    ],
    [
      /^Order (\d+) is shipped.*/,
      'Order $1 was handed over, so only its note can change. To take its animal back, set the animal to available.',
    ],
    [/^Order (\d+) is cancelled.*/, 'Order $1 is cancelled, so only its note can change.'],
    [/^Order (\d+) is pending.*/, 'Order $1 is reserved. Cancel its reservation.'],
    [/^Key .*/, 'The key is expired or revoked. Create a new key.'],
    [
      /^The workspace has (\d+) webhooks.*/,
      'The workspace has $1 webhooks, which is the maximum. Delete one first.',
    ],
    [
      /^Webhook \d+ still .*/,
      'The secret before the last replacement is still valid. Replace the secret again after it has expired, or choose that the old secret expires at once.',
    ],
    'This is not possible in its present state. Check what it is now, then try again.',
  ],
  pet_not_available: [
    [/^Animal (-?\d+) .*/, 'Animal $1 is not available: it is reserved or sold.'],
    'This animal is not available: it is reserved or sold.',
  ],
  idempotency_in_progress: 'The server is still doing this. Try again.',
  operation_removed: otherVersion,
  cursor_expired: [
    [
      /.* lowest position .* now (\d+);.*/s,
      'The server does not have all events after this one. In “Replay or skip”, choose a number from $1 to that of the newest event, or new events only.',
    ],
    [
      /.* highest position .* now (\d+),.*/s,
      'There is no event after this one yet. Choose a number up to $1, or new events only.',
    ],
    'The server keeps no events this old. Load the page again.',
  ],
  precondition_failed:
    'This has changed since the page showed it. Check what it is now, then try again.',
  content_too_large: [
    [
      /.* at most (\d+) bytes$/,
      (_, max = '') =>
        `The text is too long. The server accepts at most ${withSeparators(max)} bytes. Shorten it.`,
    ],
    'The text is too long. Shorten it.',
  ],
  unsupported_media_type: otherVersion,
  idempotency_key_reused:
    'The server has done this before, with other values. Close the dialog, and check the list.',
  rate_limited: [
    [
      /^A test of this webhook is running.*/,
      'A test of this webhook is already running. Try again.',
    ],
    [
      /^The server runs (\d+) tests of .*/,
      'The server runs $1 tests of webhooks already, which is the limit. Try again.',
    ],
    [
      /.* has (\d+) streams .*/,
      'This session or key has $1 waiting requests, which is the limit. Close other tabs or programs, then try again.',
    ],
    [
      /.* (\d+) \w+ in (\d+) seconds.*/,
      (_, count = '', seconds = '') =>
        `Too many requests were sent in a short time: at most ${withSeparators(count)} in ${seconds} seconds. Try again.`,
    ],
    'Too many requests were sent in a short time. Try again.',
  ],
  internal_error: 'The server has a fault. Report it to the operator of the server.',
  unavailable: [
    [
      /^Storage is full.*/,
      'The disk of the server is full. Nothing can be saved until its operator makes space.',
    ],
    [/^Too many searches .*/, 'Too many searches are running. Try again.'],
    'The server cannot do this at the moment. Try again.',
  ],
  outcome_unknown:
    'The server may have done this. Check the list, then try again: nothing is done twice.',
};

/** The sentence for an error. An error of a later version of the service has its code. */
export function errorText({
  code,
  message,
  retryAfterSeconds = 0,
  requestId,
}: AnimalStoreError): string {
  const known: Readonly<Record<string, Sentences>> = sentences;
  const found = known[code] ?? `The server rejected this (${code}). ${otherVersion}`;
  if (code === 'internal_error' && requestId !== undefined) return `${found} Number: ${requestId}`;
  const again = pluralize(retryAfterSeconds, {
    one: 'Try again in # second.',
    other: 'Try again in # seconds.',
  });
  const sentence = sentenceOf(found, message);
  return retryAfterSeconds > 1 ? sentence.replace(/Try again\.$/, again) : sentence;
}

function sentenceOf(found: Sentences, message: string): string {
  if (typeof found === 'string') return found;
  for (const rule of found) {
    if (typeof rule === 'string') return rule;
    const [pattern, sentence] = rule;
    // Both are overloads of `replace`.
    if (!pattern.test(message)) continue;
    return typeof sentence === 'string'
      ? message.replace(pattern, sentence)
      : message.replace(pattern, sentence);
  }
  return message;
}

/** The members of requests, in the words of the console. */
const fields: Readonly<Record<string, string>> = {
  name: common.name,
  categoryId: common.category,
  status: common.status,
  description: categoryTexts.description,
  petId: 'Number of the animal',
  note: draftTexts.note,
  shipDate: draftTexts.until,
  scopes: keyTexts.permissions,
  expiresInDays: keyTexts.expires,
  overlapSeconds: keyTexts.overlap,
  workspace: sessionTexts.workspace,
};

/** A message has the name of a member at its beginning, and after each semicolon. */
function describeFields(message: string): string {
  const found = message.split('; ').flatMap((fault) => {
    const field = fields[/^\w+/.exec(fault)?.[0] ?? ''];
    const [, min = '0', max] = /(?:(\d+) to|at most) (\d+)\b/.exec(fault) ?? [];
    if (field === undefined) return [];
    if (max === undefined) return [field];
    const unit = fault.includes('characters') ? ' characters' : '';
    return [`${field} (${min} to ${withSeparators(max)}${unit})`];
  });
  return `The server rejected a value${found.length === 0 ? '' : `: ${found.join(', ')}`}. Check the fields, then try again.`;
}

/** The words of the server for records. */
const noRecord: Readonly<Record<string, string>> = {
  animal: 'No animal has',
  order: 'No order has',
  category: 'No category has',
  webhook: 'No webhook has',
  key: 'No key has',
  session: 'No session has',
};

function describeMissing(_message: string, kind = '', id = ''): string {
  return `${noRecord[kind] ?? 'Nothing has'} the number ${id}. It may be deleted.`;
}

function describeScope(_message: string, name?: string): string {
  const scope = scopes.find((one) => one === name);
  return `Your key does not have the permission ${scope === undefined ? 'for this' : `to ${keyTexts.scopes[scope]}`}.`;
}

/** Of a row of an import. A form asks for the name instead. */
export const nameMissing: string = 'The name is missing.';

export const nameFaultTexts = {
  blank: 'Enter a name.',
  invisible: 'A name needs a character that can be seen.',
  too_long: `A name has at most ${nameLengthMax} characters.`,
  control_character: 'A name has no tabs, line ends or other control characters.',
  lone_surrogate: 'The name contains a broken character (a lone surrogate).',
};
