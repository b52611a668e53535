import type { Environment } from '../domain/access/api-key.ts';
import type { CommandWriter } from '../domain/database/commands.ts';
import { CommandFailure } from '../terminal/command-line.ts';

/**
 * The environment whose data this is. The first command that needs to know decides it for good, so that
 * production and staging never share data, and no key is made that its server would refuse. What was asked
 * for outright must agree.
 */
export async function claimEnvironment(
  writer: CommandWriter,
  environment: Environment,
  wasAskedFor: boolean,
): Promise<Environment> {
  const { ok: held } = await writer.write('claimEnvironment', { environment });
  if (held === environment || !wasAskedFor) return held;
  throw new CommandFailure([
    `The database belongs to ${held}: use --environment ${held}, or another --database for ${environment}`,
  ]);
}
