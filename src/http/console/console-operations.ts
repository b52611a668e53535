import type { ConsoleOperation } from './console-operation.ts';
import { listUnnamedCategories } from './operations/categories.ts';
import { changePets } from './operations/change-pets.ts';
import { getImport, undoImport } from './operations/import-record.ts';
import { importCategories, importPets } from './operations/imports.ts';
import { createKey, listKeys, revokeKey, rotateKey } from './operations/keys.ts';
import { endSession, endSessions, listSessions } from './operations/other-sessions.ts';
import { findPetAtPosition } from './operations/pets.ts';
import { checkSession, findWorkspaces, getSession, reportActivity } from './operations/session.ts';
import { signIn, signOut } from './operations/sign-in.ts';

/** Every operation that only the console calls. To add one, declare it in a file of `operations/` and add a line here. */
export const consoleOperations: readonly ConsoleOperation[] = [
  getSession,
  signIn,
  signOut,
  checkSession,
  reportActivity,
  findWorkspaces,
  listSessions,
  endSession,
  endSessions,
  listUnnamedCategories,
  changePets,
  getImport,
  importCategories,
  importPets,
  undoImport,
  findPetAtPosition,
  listKeys,
  createKey,
  rotateKey,
  revokeKey,
];
