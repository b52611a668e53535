import type { ConsoleOperation } from './console-operation.ts';
import { chooseWorkspace } from './operations/choose-workspace.ts';
import { createKey } from './operations/create-key.ts';
import { findWorkspaces } from './operations/find-workspaces.ts';
import { getSession } from './operations/get-session.ts';
import { listKeys } from './operations/list-keys.ts';
import { reportActivity } from './operations/report-activity.ts';
import { revokeKey } from './operations/revoke-key.ts';
import { rotateKey } from './operations/rotate-key.ts';
import { signIn } from './operations/sign-in.ts';
import { signOut } from './operations/sign-out.ts';

/** Every operation that only the console calls. To add one, write its file and add a line here. */
export const consoleOperations: readonly ConsoleOperation[] = [
  getSession,
  signIn,
  chooseWorkspace,
  signOut,
  reportActivity,
  findWorkspaces,
  listKeys,
  createKey,
  rotateKey,
  revokeKey,
];
