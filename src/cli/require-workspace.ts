import { background } from '../context/context.ts';
import type { Workspace } from '../domain/access/workspace.ts';
import type { Reads } from '../storage/contract/reads-and-commands.ts';
import { noSuchWorkspace } from '../terminal/cli-failure.ts';

/** @throws CliFailure if the workspace does not exist. */
export async function requireWorkspace(
  reads: Pick<Reads, 'findWorkspace'>,
  name: string,
): Promise<Workspace> {
  const workspace = await reads.findWorkspace(background, name);
  if (workspace === undefined) throw noSuchWorkspace(name);
  return workspace;
}

/** The same for an option that may be left out. */
export async function findIfNamed(
  reads: Pick<Reads, 'findWorkspace'>,
  name: string | undefined,
): Promise<Workspace | undefined> {
  return name === undefined ? undefined : await requireWorkspace(reads, name);
}
