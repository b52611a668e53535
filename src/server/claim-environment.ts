import { background } from '../context/context.ts';
import type { Environment } from '../domain/access/api-key.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import type { MetaReads } from '../storage/contract/meta.ts';
import { CliFailure } from '../terminal/cli-failure.ts';

/**
 * Returns the environment of the data. The first command or server that needs it decides it for good, so that production and
 * staging never share data and no key is made that its server rejects.
 * @throws CliFailure if `isExplicit` and the data belongs to the other environment.
 */
export async function claimEnvironment(
  database: CommandWriter & MetaReads,
  environment: Environment,
  { isExplicit }: { readonly isExplicit: boolean },
): Promise<Environment> {
  const claimed =
    // A server also starts on a full disk, for reads.
    (await database.readEnvironment(background)) ??
    (await database.write(background, 'claimEnvironment', { environment })).ok;
  if (claimed === environment || !isExplicit) return claimed;
  throw new CliFailure(
    `The database belongs to ${claimed}: use --environment ${claimed}, or another --database for ${environment}`,
  );
}
