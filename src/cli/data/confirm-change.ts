import { confirm } from '../../terminal/ask.ts';
import { CliFailure } from '../../terminal/cli-failure.ts';

/** The option that answers the question. */
export const yesOption = ['--yes', 'do not ask on a terminal'] as const;

/**
 * Asks on a terminal before a command changes all data. Without a terminal it asks nothing, because scripts rely on that.
 * @throws CliFailure unless the user types `yes`.
 */
export async function confirmChange(question: string, yes: boolean | undefined): Promise<void> {
  if (yes === true || !process.stdin.isTTY || !process.stderr.isTTY) return;
  if (await confirm(`${question}\nType yes to continue: `, 'yes')) return;
  throw new CliFailure('Nothing was changed');
}
