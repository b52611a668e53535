import { pluralize } from './local-count.ts';
import { isolate } from './short-name.ts';

/** The screen with the sessions that have not ended. */
export const texts = {
  ownerHint: 'Browsers that are signed in as owner, or with a key of this workspace.',
  keyHint: 'Browsers that are signed in with your key.',
  readFailed: 'The sessions cannot be read',
  owner: 'Owner',
  keyNamed: (name: string) => `Key ${isolate(name)}`,
  own: 'this session',
  signedIn: (time: string) => `Signed in ${time}`,
  from: (address: string) => ` from ${address}`,
  lastAction: (time: string) => `Last action ${time}`,
  ends: (time: string) => `Ends ${time}`,
  inWorkspace: (workspace: string) => `In workspace ${workspace}`,
  end: 'End',
  /** The name of a session in its button and its dialog. */
  sessionOf: (user: string, time: string) => `the session of ${user} from ${time}`,
  endQuestion: (user: string, time: string) => `End the session of ${user} from ${time}?`,
  endOwnerHint: 'Its pages are locked. Only a new link from the server signs in again.',
  endKeyHint: (key: string) =>
    `Its pages are locked. The key ${isolate(key)} can sign in again until it is revoked.`,
  ended: (user: string) => `The session of ${user} was ended.`,
  gone: 'The session had ended already.',
  everywhere: 'Sign out everywhere',
  everywhereOwnerHint:
    'This ends the sessions of all owners. Only a new link from the server signs in again. Sessions of keys stay.',
  everywhereKeyHint: 'This ends the sessions of your key, also those of other people.',
  everywhereWork: 'The import or the change of animals that runs on this page stops.',
  stayHere: 'Stay signed in here',
  endedCount: (count: number) =>
    pluralize(count, { one: '# session ended.', other: '# sessions ended.' }),
};
