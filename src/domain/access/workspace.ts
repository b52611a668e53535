import type { Command } from '../command.ts';
import type { PageAfterItem } from '../page.ts';
import type { Awaitable } from '../values/awaitable.ts';
import type { Context } from '../values/context.ts';
import type { Int64 } from '../values/int64.ts';

/** A separate catalogue: its animals, ids and keys are invisible to every other workspace. */
export interface Workspace {
  readonly id: Int64;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Exists from the start and cannot be deleted. */
export const defaultWorkspaceName = 'default';

export const workspaceNameRule =
  '1 to 63 lower-case letters, digits or hyphens, the first of them a letter or digit';

export function isWorkspaceName(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,62}$/.test(text);
}

/** Whether a name can begin with this text. */
export function isWorkspaceNamePrefix(text: string): boolean {
  return /^[a-z0-9-]{0,63}$/.test(text);
}

export interface WorkspaceSummary extends Workspace {
  readonly petCount: number;
  readonly activeApiKeyCount: number;
}

export interface WorkspaceReads {
  findWorkspace(context: Context, name: string): Awaitable<Workspace | undefined>;
  /** Changes with every change of a workspace's records; below 0 if the workspace does not exist. */
  readWorkspaceVersion(context: Context, id: Int64): Awaitable<number>;
  /** Reads one workspace and counts its keys. `now` decides which of them are active. */
  findWorkspaceSummary(
    context: Context,
    name: string,
    now: number,
  ): Awaitable<WorkspaceSummary | undefined>;
  /** A page of all workspaces, by name. It counts only the keys of the page. */
  listWorkspaces(
    context: Context,
    page: WorkspacePageRequest,
    now: number,
  ): Awaitable<PageAfterItem<WorkspaceSummary>>;
  /** The first names that begin with a prefix, in order, without counts. */
  listWorkspaceNames(context: Context, prefix: string, limit: number): Awaitable<readonly string[]>;
}

interface WorkspacePageRequest {
  readonly limit: number;
  readonly afterName?: string | undefined;
}

export interface WorkspaceCommands {
  createWorkspace: Command<
    { readonly name: string; readonly now: number },
    Workspace,
    'name_taken'
  >;
  /**
   * Deletes a workspace in steps, so that other writes do not wait long. The first step deletes its API keys, each step at most
   * `rowsMax` rows of each kind, and the last one the workspace, which is then `gone`.
   */
  deleteWorkspaceStep: Command<
    { readonly id: Int64; readonly rowsMax: number; readonly now: number },
    { readonly petsDeleted: number; readonly gone: boolean }
  >;
}
