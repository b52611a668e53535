import { pluralize } from './local-count.ts';
import { shortName } from './short-name.ts';

/** The screen with the API keys of a workspace. */
export const texts = {
  hint: 'A program, such as your website, uses a key to read and change these animals.',
  create: 'Create a key',
  createSubmit: 'Create',
  readFailed: 'The keys cannot be read',
  none: 'No keys yet',
  noneHint:
    'Create one for each program and each colleague, so that you can revoke them one by one.',
  permissions: 'Permissions',
  lastFour: (characters: string) => `Last 4 characters ${characters}`,
  lastUsed: (time: string) => `Last used ${time}`,
  neverUsed: 'Never used',
  until: (time: string) => ` until ${time}`,
  /** What a key may do. The order is that of the form. */
  scopes: {
    'pets:read': 'see animals',
    'pets:write': 'change animals',
    'orders:read': 'see orders',
    'orders:write': 'place and change orders',
    'events:read': 'see events',
    'webhooks:manage': 'manage webhooks, and read events of all kinds with them',
  },
  allScopes: 'do everything in the shop',
  nameHint: 'The person or program that uses it, such as Website',
  nameFault: 'Enter a name, such as that of the program.',
  scopesFault: 'Choose at least one permission.',
  writeWarning:
    'A program with this key can change and sell your animals. Keep the key on a server, and never put it into a web page.',
  expires: 'Expires',
  expiresNever: 'never',
  expiresIn: { 7: 'in a week', 30: 'in 30 days', 90: 'in 90 days', 365: 'in a year' },
  requests: 'Requests at most',
  requestsHint:
    'Empty: the limit of the server. The visitors of a public web page share its key: set a limit, such as 600 per minute.',
  requestsFault: 'Enter a whole number of requests, or nothing.',
  per: 'Per',
  pers: { s: 'second', min: 'minute', h: 'hour', d: 'day' },
  /** After the permissions of a key. */
  rateLimit: (requests: number, per: string) => {
    const forms = { one: 'at most # request per', other: 'at most # requests per' };
    return `, ${pluralize(requests, forms)} ${per}`;
  },
  outcomeUnknown:
    'The server did not answer, so the key may exist without its secret. Close this dialog, look for the key in the list, and revoke it.',
  keyNotShown: (name: string) =>
    `The key ${shortName(name)} was not shown, because you left the page. Revoke it, and create a new one.`,
  replace: 'Replace',
  replaceHint: 'A new key with the same permissions replaces this key.',
  overlap: 'The old key expires',
  overlaps: { 0: 'at once', 3600: 'in an hour', 86400: 'in a day', 604800: 'in a week' },
  revoke: 'Revoke',
  revokeQuestion: (name: string) => `Revoke ${shortName(name)}?`,
  revokeHint: (lastFour: string) =>
    `The server rejects the key ending in ${lastFour} from now on. This cannot be undone.`,
  revoked: (name: string) => `The key ${shortName(name)} is revoked.`,
  secretOf: (name: string) => `The key of ${shortName(name)}`,
  secret: 'Key',
  copySecret: 'Copy the key now and keep it safe: ',
};

/** A key or a secret that was just made. */
export const secretTexts = {
  once: 'it is never shown again.',
  copy: 'Copy',
  copied: 'Copied.',
  done: 'Done',
};
