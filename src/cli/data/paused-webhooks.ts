import { pluralize } from '../../domain/values/pluralize.ts';
import { print } from '../../terminal/print.ts';

/** Prints how many webhooks the new data has, unless it has none. */
export function printPausedWebhooks(count: number): void {
  if (count === 0) return;
  const those = count === 1 ? '1 webhook is' : `${pluralize(count, 'webhook')} are`;
  print(
    `${those} paused, so that two databases do not send the same events. When this database replaces the other, run animal-store webhooks resume --all.`,
  );
}
