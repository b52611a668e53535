import type { ErrorCode } from '../../../client/src/contract.ts';
import type { AnimalStoreError, ClientErrorCode } from '../../../client/src/error.ts';
import { scopes } from '../../domain/access/api-key.ts';
import { nameLengthMax } from '../../domain/name.ts';
import { texts as categoryTexts } from './categories.ts';
import { common } from './common.ts';
import { texts as keyTexts } from './keys.ts';
import { localCount, pluralizeLocal } from './local-count.ts';
import { draftTexts, placeTexts } from './orders.ts';
import { texts as sessionTexts } from './session.ts';

/** What a sentence needs of an error. The facts are in the message of the service, whose wording may change. */
type Facts = Pick<AnimalStoreError, 'message' | 'retryAfterSeconds' | 'requestId'>;

const otherVersion =
  'This page and the server do not have the same version. Load the page again, then try again.';
const unknownOutcome =
  'The server may have done this. Check the list, then try again: nothing is done twice.';

/** A sentence for each error, with the facts of its message. A message without the expected words gives a shorter sentence. */
const sentences: Readonly<Record<ErrorCode | ClientErrorCode, (facts: Facts) => string>> = {
  connection_failed: () => 'The server cannot be reached. Check the connection, then try again.',
  timed_out: () => 'The server did not answer in time. Try again.',
  unexpected_response: ({ message }) => {
    const [status] = /HTTP \d+/.exec(message) ?? [];
    return `A proxy or another program answered in place of the server${status === undefined ? '' : ` (${status})`}. Try again.`;
  },
  invalid_json: () => 'The request did not arrive as a whole. Try again.',
  invalid_body: describeFields,
  invalid_parameter: () => otherVersion,
  invalid_cursor: () => 'The list cannot be continued at this place. Load the page again.',
  invalid_header: () => otherVersion,
  unknown_field: () => otherVersion,
  missing_api_key: () => 'Your session ended before this was done. Try again.',
  invalid_api_key: ({ message }) =>
    message.startsWith('The link')
      ? 'The link is incomplete, was used before, or is older than five minutes.'
      : 'The API key is not valid here: it is incomplete, has expired, was revoked, or is for another server.',
  insufficient_scope: describeMissingScope,
  forbidden_origin: describeAddress,
  not_found: ({ message }) => {
    const [, noun, number] = /^There is no (\w+) (-?\d+)$/.exec(message) ?? [];
    if (number !== undefined) return `No ${noun} has the number ${number}. It may be deleted.`;
    const [, workspace] = /^There is no workspace (".*")$/.exec(message) ?? [];
    return workspace === undefined
      ? 'This was deleted, or never existed.'
      : `There is no workspace ${workspace}. It may be deleted.`;
  },
  route_not_found: () => otherVersion,
  method_not_allowed: () => otherVersion,
  conflict: describeConflict,
  pet_not_available: ({ message }) => {
    const [, number] = /^Animal (-?\d+) /.exec(message) ?? [];
    const animal = number === undefined ? 'This animal' : `Animal ${number}`;
    return `${animal} is not available: it is reserved or sold.`;
  },
  idempotency_in_progress: (facts) => `The server is still doing this. ${tryAgain(facts)}`,
  operation_removed: () => otherVersion,
  cursor_expired: () => 'The server keeps no events this old. Load the page again.',
  precondition_failed: () =>
    'This has changed since the page showed it. Check what it is now, then try again.',
  content_too_large: ({ message }) => {
    const [, bytesMax] = /at most (\d+) bytes/.exec(message) ?? [];
    const limit = bytesMax && ` The server accepts at most ${localCount(Number(bytesMax))} bytes.`;
    return `The text is too long.${limit ?? ''} Shorten it.`;
  },
  unsupported_media_type: () => otherVersion,
  idempotency_key_reused: () =>
    'The server has done this before, with other values. Close the dialog, and check the list.',
  rate_limited: (facts) => {
    const [, count, seconds] = /may .*?(\d+) \w+ in (\d+) seconds/.exec(facts.message) ?? [];
    const [, openMax] = /has (\d+) streams/.exec(facts.message) ?? [];
    if (openMax !== undefined) {
      return `This session or key has ${openMax} waiting requests, which is the limit. Close other tabs or programs, then try again.`;
    }
    const limit =
      count && seconds && `: at most ${localCount(Number(count))} in ${seconds} seconds`;
    return `Too many requests were sent in a short time${limit ?? ''}. ${tryAgain(facts)}`;
  },
  internal_error: ({ requestId }) =>
    `The server has a fault. Report it to the operator of the server${requestId === undefined ? '' : `, with the number ${requestId}`}.`,
  unavailable: (facts) => {
    if (facts.message.startsWith('Storage is full')) {
      return 'The disk of the server is full. Nothing can be saved until its operator makes space.';
    }
    return `${facts.message.startsWith('Too many searches') ? 'Too many searches are running' : 'The server cannot do this at the moment'}. ${tryAgain(facts)}`;
  },
  outcome_unknown: () => unknownOutcome,
};

/** The sentence for an error. An error of a later version of the service has its code. */
export function errorText(error: AnimalStoreError): string {
  const known: Readonly<Record<string, (facts: Facts) => string>> = sentences;
  return known[error.code]?.(error) ?? `The server rejected this (${error.code}). ${otherVersion}`;
}

function tryAgain({ retryAfterSeconds: seconds = 0 }: Facts): string {
  return seconds > 1 ? `Try again in ${pluralizeLocal(seconds, 'second')}.` : 'Try again soon.';
}

/** The members of requests, in the words of the console. */
const fields: Readonly<Record<string, string>> = {
  name: common.name,
  categoryId: common.category,
  status: common.status,
  description: categoryTexts.description,
  petId: placeTexts.number,
  note: draftTexts.note,
  shipDate: draftTexts.until,
  scopes: keyTexts.permissions,
  expiresInDays: keyTexts.expires,
  overlapSeconds: keyTexts.overlap,
  workspace: sessionTexts.workspace,
};

/** A message has the name of a member at its beginning, and after each semicolon. */
function describeFields({ message }: Facts): string {
  const found = message.split('; ').flatMap((fault) => {
    const field = fields[/^\w+/.exec(fault)?.[0] ?? ''];
    const [, min, max] = /(?:(\d+) to|at most) (\d+)\b/.exec(fault) ?? [];
    if (field === undefined) return [];
    const limit = max && `${min ?? 0} to ${localCount(Number(max))}`;
    return limit
      ? [`${field} (${fault.includes('characters') ? `${limit} characters` : limit})`]
      : [field];
  });
  return `The server rejected a value${found.length === 0 ? '' : `: ${found.join(', ')}`}. Check the fields, then try again.`;
}

function describeMissingScope({ message }: Facts): string {
  if (message.startsWith('Only an owner')) {
    return 'Only an owner can do this. Sign in with a link of the server.';
  }
  const missing = scopes.find((scope) => message.includes(scope));
  return missing === undefined
    ? 'Your key does not have the permission for this.'
    : `Your key does not have the permission to ${keyTexts.scopes[missing]}.`;
}

function describeAddress({ message }: Facts): string {
  const [, baseUrl] = /--base-url (https?:\S+)/.exec(message) ?? [];
  const [, address] = /open (?:the console at )?(https?:\S+)$/i.exec(message) ?? [];
  if (address === undefined) {
    return 'The server does not know the address of this page. Ask its operator for the address of the console (--base-url).';
  }
  return baseUrl === undefined
    ? `Sign-in does not work at the address of this page. Open the console at ${address}`
    : `The console needs HTTPS, except on this machine. The operator of the server starts it with --base-url ${baseUrl} behind a proxy with TLS. Then open ${address}`;
}

function describeConflict({ message }: Facts): string {
  const [, order, animal] = /^Order (\d+) for animal (\d+) is open/.exec(message) ?? [];
  if (order !== undefined) {
    return `Order ${order} reserves animal ${animal}. Hand it over, or cancel the reservation first.`;
  }
  const [, closed, status] = /^Order (\d+) is (shipped|cancelled|pending)/.exec(message) ?? [];
  if (status === 'shipped') {
    return `Order ${closed} was handed over, so only its note can change. To take its animal back, set the animal to available.`;
  }
  if (status === 'cancelled') return `Order ${closed} is cancelled, so only its note can change.`;
  if (status === 'pending') return `Order ${closed} is reserved. Cancel its reservation.`;
  return message.startsWith('Key ')
    ? 'The key is expired or revoked. Create a new key.'
    : 'This is not possible in its present state. Check what it is now, then try again.';
}

/** Of a row of an import. A form asks for the name instead. */
export const nameMissing = 'The name is missing.';

export const nameFaultTexts = {
  blank: 'Enter a name.',
  too_long: `A name has at most ${nameLengthMax} characters.`,
  control_character: 'A name has no tabs, line ends or other control characters.',
  lone_surrogate: 'The name contains a broken character (a lone surrogate).',
} as const;
