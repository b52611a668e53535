import { isolate } from './short-name.ts';

/** Sign-in, the end of a session, and the choice of a workspace. */
export const texts = {
  title: 'Animal Store',
  failed: 'Sign-in failed',
  needsHttps: 'The console needs HTTPS, except on this machine.',
  signedOut: 'You are signed out.',
  secret: 'API key or link',
  secretFault: 'Paste an API key or a link.',
  signIn: 'Sign in',
  signingIn: 'Signing in…',
  keyHint: 'Ask the operator of the server for a key. Created keys begin with anst_.',
  linkHint:
    'Operators sign in as owner with a link, which works once. Where the data is, this command prints a link:',
  linkCommand: 'animal-store console',
  sourcesHint: 'From the sources:',
  sourcesCommand: 'npm run -s animal-store -- console',
  linkRefused: (message: string) => `${message} Ask the operator of the server for a new link.`,
  ended: 'Your session has ended',
  endedTitle: 'Sign in',
  endedHint:
    'Sign in again to continue. Your input is kept until then, and shown only to the same owner or key in the same workspace.',
  endsAt: (time: string) => `Your session ends at ${time}. `,
  saveBefore: 'Save your input before then, and sign in again afterwards.',
  stay: 'Stay signed in',
  replaceQuestion: 'Sign in as owner?',
  replaceYes: 'Sign in as owner',
  replaceNo: 'Keep this session',
  replaceLink: 'You opened a link that signs in as owner. You are signed in ',
  asOwner: 'as owner',
  withKey: 'with the key “',
  inWorkspace: '” in the workspace “',
  endQuote: '”',
  replaceEnds: '. The link ends that session, in all tabs.',
  replaceEndsWork:
    '. The link ends that session, in all tabs, and stops the import or the change of animals that runs here.',
  /** The chooser of the workspace. */
  workspace: 'Workspace',
  workspaceIs: (name: string) => `Workspace ${name}`,
  findWorkspace: 'Beginning of the name',
  noWorkspaces: 'No workspace begins with this.',
  workStays: 'Work runs in this tab. Another workspace opens in a new one.',
  chooseWorkspace: 'Choose a workspace',
  unknownWorkspace: (name: string) => `There is no workspace “${name}”.`,
  otherWorkspace: 'Another workspace',
  keyWorkspace: (key: string, own: string, wanted: string) =>
    `You are signed in with the key ${isolate(key)} of the workspace “${own}”. It has no access to “${wanted}”.`,
  openWorkspace: (name: string) => `Open ${name}`,
};
