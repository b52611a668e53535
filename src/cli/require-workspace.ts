import { background } from '../context/context.ts';
import type { Workspace } from '../domain/access/workspace.ts';
import type { Reads } from '../domain/database/registry.ts';
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
