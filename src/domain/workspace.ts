import type { Int64 } from './int64.ts';

/** A catalogue of its own: its animals, ids and keys are invisible to every other workspace. */
export interface Workspace {
  readonly id: Int64;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Exists from the start and cannot be deleted. */
export const defaultWorkspaceName = 'default';

export const workspaceNameRule =
  'must be 1 to 63 lower-case letters, digits or hyphens, and start with a letter or digit';

export function isWorkspaceName(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,62}$/.test(text);
}
