import { retryMillisecondsMax } from '../../domain/webhook.ts';
import type { Dialects } from '../statement.ts';

/** A server that delivers extends its lease before this time has passed. */
export const leaseMilliseconds = 60_000;

/** The milliseconds since 1970 of the clock of the database, which all servers share. */
const databaseNow: Dialects = {
  sqlite: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  postgres: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
};

/** Makes a text for each engine, with its clock, and the end of a SELECT that skips locked webhooks. */
export function byDatabaseClock(text: (now: string, lock: string) => string): Dialects {
  return {
    sqlite: text(databaseNow.sqlite, ''),
    postgres: text(databaseNow.postgres, 'FOR UPDATE OF webhooks SKIP LOCKED'),
  };
}

/** SQL for `isTimeDue`. */
export function isDue(time: string, now: string): string {
  const cast = `CAST(${now} AS bigint)`;
  return `(${time} <= ${cast} OR ${time} > ${cast} + ${retryMillisecondsMax})`;
}

/** The webhooks of workspaces that exist. */
export const ofWorkspaces = 'webhooks JOIN workspaces ON workspaces.id = webhooks.workspace_id';

const retries = `SELECT 1 FROM webhook_retries
  WHERE webhook_retries.workspace_id = webhooks.workspace_id AND webhook_id = webhooks.id`;

/**
 * SQL for a webhook that is due (`hasDueWebhooks`) and that no server holds. The clock of the database ends leases. If it is set back,
 * a lease ends too.
 */
export function isDueAndFree(now: string, clock: string): string {
  const head = 'next_event_sequence - 1';
  const isRetryDue = isDue('webhook_retries.next_attempt_at', now);
  const isTime = `(webhooks.next_attempt_at IS NULL OR ${isDue('webhooks.next_attempt_at', now)})`;
  return `(lease_holder IS NULL OR lease_until <= ${clock} OR lease_until > ${clock} + 2 * ${leaseMilliseconds}) AND (
    status = 'enabled' AND (coalesce(read_to, position) < ${head} OR EXISTS (${retries} AND ${isRetryDue}))
    OR status = 'failing' AND ${isTime} AND (position < ${head} OR EXISTS (${retries})))`;
}
