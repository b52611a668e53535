import { texts as eventTexts } from './events.ts';
import { localCount, pluralize } from './local-count.ts';
import { shortName } from './short-name.ts';

const replaceSecret =
  'Replace the secret. If the server refuses this, choose that the old secret expires at once.';

/** The screen with the webhooks of a workspace, and the page of one. */
export const texts = {
  hint: 'A webhook sends events to a program of yours as soon as they happen.',
  add: 'Add a webhook',
  addSubmit: 'Add',
  all: 'All webhooks',
  readFailed: 'The webhooks cannot be read',
  none: 'No webhooks yet',
  noneHint: 'With one, your website can show each change at once.',
  missing: (record: string) => `No webhook has the number ${record}. It may be deleted.`,
  title: (id: bigint) => `Webhook ${id}`,
  url: 'URL',
  urlHint: 'The address of the program, such as https://shop.example/events',
  urlFault: 'Enter an address that begins with https://',
  description: 'Description',
  types: 'Events',
  typesHint: 'None chosen: events of all kinds, also those of later versions.',
  allTypes: 'All events',
  position: 'Position',
  after: (position: bigint) => `after event ${position}`,
  upToDate: 'up to date',
  behind: (count: bigint) =>
    pluralize(Number(count), { one: '# event behind', other: '# events behind' }),
  added: 'Added',
  secret: 'Secret',
  copySecret: 'Copy the secret now and keep it safe: ',
  secretOf: (url: string) => `The secret of ${shortName(url)}`,
  secretUse: 'The program uses it to check that a request is from this server.',
  secretLost: (url: string) =>
    `The answer with the secret of ${shortName(url)} was lost, and no other answer has it. ${replaceSecret}`,
  secretNotShown: (url: string) =>
    `The secret of ${shortName(url)} was not shown, because you left the page. ${replaceSecret}`,
};

/** What a status means. A newer server can have more. */
export const statusTexts: Readonly<Record<string, string>> = {
  enabled: 'Events are sent as they happen.',
  failing:
    'The program does not accept events. The server tries again, and then continues where it stopped.',
  paused: 'Nothing is sent until you resume it.',
  disabled:
    'The server sends nothing more: the program accepted nothing for 5 days or answered 410, or the next events were deleted. Resume it when the program works. If events were deleted, use “Replay or skip” first.',
};

/** All types of a kind. */
export const kindNames: Readonly<Record<string, string>> = {
  ...eventTexts.kindNames,
  webhook: 'Disabled webhooks',
  feed: 'Restored data',
};

export const testTexts = {
  action: 'Test',
  hint: 'The server sends a signed event of the type webhook.test.',
  again: 'Test again',
  result: (title: string, result: string) => `The test of ${title}: ${result}.`,
  running: 'Testing…',
};

export const pauseTexts = {
  action: 'Pause',
  question: (url: string) => `Pause the webhook to ${shortName(url)}?`,
  hint: 'Nothing is sent until you resume it. Then it continues where it stopped, if the server still has these events.',
  done: (title: string) => `${title} is paused.`,
};

export const resumeTexts = {
  action: 'Resume',
  question: (url: string) => `Resume the webhook to ${shortName(url)}?`,
  hint: 'It continues where it stopped. If events were deleted, or to skip some, use “Replay or skip” first.',
  done: (title: string) => `${title} is resumed.`,
};

export const positionTexts = {
  action: 'Replay or skip',
  label: 'Continue',
  options: { now: 'with new events only', after: 'after an event' },
  number: 'Number of the event',
  hint: 'A lower number sends events again. A higher one skips events.',
  fault: (newest: bigint | undefined) =>
    newest === undefined ? 'Enter a whole number.' : `Enter a whole number from 0 to ${newest}.`,
  done: (title: string, position: bigint) =>
    `The position of ${title} is now after event ${position}.`,
};

export const rotationTexts = {
  action: 'Replace the secret',
  hint: 'Until the old secret expires, requests are signed with both.',
  overlap: 'The old secret expires',
  validUntil: (time: string) => `The old secret is also valid until ${time}.`,
};

export const deletionTexts = {
  question: (url: string) => `Delete the webhook to ${shortName(url)}?`,
  hint: 'Nothing more is sent to it. This cannot be undone.',
};

/** Attempts to deliver events, and tests. */
export const deliveryTexts = {
  title: 'Deliveries',
  none: 'Nothing was sent in the last 30 days.',
  readFailed: 'The deliveries cannot be read',
  attempt: (attempt: number) => `Attempt ${attempt}`,
  answer: (httpStatus: number) => `Answer ${httpStatus}`,
  milliseconds: (milliseconds: number) => `${localCount(milliseconds)} ms`,
  excerpt: 'Text of the answer',
};

/** Why no answer arrived. A newer server can have more. */
export const attemptErrors: Readonly<Record<string, string>> = {
  refused_target: 'The server may not call this address, or its name is unknown',
  connection_failed: 'No connection',
  tls_failed: 'The certificate is not valid for the address',
  timeout: 'No answer in time',
  invalid_response: 'The answer is not HTTP',
  gave_up: 'this was the last attempt',
};
