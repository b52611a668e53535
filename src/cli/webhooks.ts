import type { Command } from 'commander';
import { background } from '../context/context.ts';
import { defaultWorkspaceName } from '../domain/access/workspace.ts';
import { echo } from '../domain/echo.ts';
import type { Int64 } from '../domain/values/int64.ts';
import { pluralize } from '../domain/values/pluralize.ts';
import type { ListedWebhook } from '../domain/webhook.ts';
import { withoutSecrets } from '../domain/webhook-target.ts';
import { orMustBe, type Parsed, wholeNumber } from '../ops/setting-values.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import { CliFailure } from '../terminal/cli-failure.ts';
import { addSettings, optional, settingsOf } from '../terminal/command-line.ts';
import { formatTime, print } from '../terminal/print.ts';
import { addListAction, optionalText, parseIdOf, readAllPages } from './list-command.ts';
import { databaseSettings, openExistingDatabase } from './open-database.ts';
import { findIfNamed } from './require-workspace.ts';

export function addWebhooksCommands(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('List and resume webhooks, also while the server runs.');
  addListCommand(webhooks);
  addResumeCommand(webhooks);
}

function addListCommand(webhooks: Command): void {
  const command = webhooks
    .command('list')
    .description(
      'List webhooks by workspace, with the number of events after the position of each (at most 100000).',
    )
    .option('--workspace <name>', 'only webhooks of this workspace');
  addListAction(command, { workspace: optionalText }, async (reads, { workspace: name }) => {
    const workspace = await findIfNamed(reads, name);
    return {
      headings: ['ID', 'WORKSPACE', 'URL', 'STATUS', 'POSITION', 'BEHIND'],
      toRow,
      toJson,
      readPage: (limit: number, after?: ListedWebhook) =>
        reads.listAllWebhooks(background, limit, workspace?.id, after),
      moreText: () => 'The list has more webhooks. Add a larger --limit',
    };
  });
}

function toJson(webhook: ListedWebhook) {
  const { id, workspaceName, url, types, description, status, position, eventsBehind } = webhook;
  return {
    id,
    workspace: workspaceName,
    url: withoutSecrets(url),
    types: types ?? null,
    description: description ?? null,
    status,
    position,
    eventsBehind,
    createdAt: formatTime(webhook.createdAt),
  };
}

function toRow(webhook: ListedWebhook): readonly string[] {
  const { id, workspace, url, status, position, eventsBehind } = toJson(webhook);
  return [String(id), workspace, url, status, String(position), String(eventsBehind)];
}

interface ResumeOptions {
  readonly all?: true;
  readonly workspace?: string;
  readonly from?: string;
}

type Position = number | 'now';

function addResumeCommand(webhooks: Command): void {
  const command = webhooks
    .command('resume')
    .description(
      'Continue webhooks that are paused or disabled, such as those of a copy or of restored data, and try failing ones again.',
    )
    .argument('[id...]', 'ids of the webhooks')
    .option('--all', 'resume all paused webhooks')
    .option(
      '--workspace <name>',
      `workspace of the webhooks (default: "${defaultWorkspaceName}", or with --all every workspace)`,
    )
    .option(
      '--from <position>',
      'sequence of the event to begin after, or now for the newest event (default: the position of each webhook)',
    );
  addSettings(command, databaseSettings).action(async (texts: string[], options: ResumeOptions) => {
    const { ids, faults } = parseIds(texts, options);
    const parsers = { from: optional(parsePosition) };
    const { from, ...config } = settingsOf(command, databaseSettings, parsers, faults);
    await using database = await openExistingDatabase(config);
    const workspaceName = options.workspace ?? (options.all ? undefined : defaultWorkspaceName);
    const missing = new Set(ids);
    const failures: string[] = [];
    let resumedCount = 0;
    const workspaceId = (await findIfNamed(database, workspaceName))?.id;
    const pages = readAllPages<ListedWebhook>((limit, after) =>
      database.listAllWebhooks(background, limit, workspaceId, after),
    );
    for await (const page of pages) {
      for (const webhook of page) {
        if (options.all ? webhook.status !== 'paused' : !missing.delete(webhook.id)) continue;
        const result = await resume(database, webhook, from);
        if (result === 'resumed') resumedCount += 1;
        else if ('failure' in result) failures.push(result.failure);
        else print(result.line);
      }
    }
    failures.unshift(...[...missing].map((id) => noSuchWebhook(id, workspaceName)));
    if (options.all || resumedCount > 0) print(`Resumed ${pluralize(resumedCount, 'webhook')}.`);
    if (failures.length > 0) throw new CliFailure(failures);
  });
}

function parseIds(texts: readonly string[], { all, from }: ResumeOptions) {
  const parse = parseIdOf('a webhook');
  const ids: Int64[] = [];
  const faults: string[] = [];
  for (const text of new Set(texts)) {
    const parsed = parse(text);
    if ('value' in parsed) ids.push(parsed.value);
    else faults.push(`ID must be ${parsed.mustBe}, got ${echo(text)}`);
  }
  if ((texts.length === 0) === (all === undefined)) faults.push('Pass either IDs or --all');
  // A sequence is a position in the feed of one workspace.
  if (all && from !== undefined && from !== 'now') faults.push('With --all, --from must be now');
  return { ids, faults };
}

function parsePosition(text: string): Parsed<Position> {
  if (text === 'now') return { value: text };
  const parsed = wholeNumber(text, 0, Number.MAX_SAFE_INTEGER);
  return orMustBe('value' in parsed ? parsed.value : undefined, 'now or the sequence of an event');
}

function noSuchWebhook(id: Int64, workspaceName: string | undefined): string {
  return `Webhook ${id} of workspace ${workspaceName} does not exist; run webhooks list to see the webhooks`;
}

/** Returns what to print if the webhook did not change from paused or disabled to enabled. */
async function resume(
  writer: CommandWriter,
  { id, workspaceId, workspaceName, status, position }: ListedWebhook,
  from: Position | undefined,
): Promise<'resumed' | { readonly line: string } | { readonly failure: string }> {
  const webhook = `Webhook ${id} of workspace ${workspaceName}`;
  const changes = { status: 'enabled', position: from } as const;
  const input = { workspaceId, id, changes, precondition: {}, now: Date.now() };
  const outcome = await writer.write(background, 'updateWebhook', input);
  if ('refused' in outcome) {
    if (outcome.refused === 'position_unknown') {
      const newest = `The newest event has the sequence ${outcome.blockedBy}`;
      return {
        failure: `${webhook} was not resumed, because there is no event ${from} yet. ${newest}`,
      };
    }
    if (outcome.refused !== 'position_expired') {
      return { failure: noSuchWebhook(id, workspaceName) };
    }
    const again = `webhooks resume ${id} --workspace ${workspaceName} --from ${outcome.blockedBy}`;
    return {
      failure: `${webhook} was not resumed, because the feed does not have all events after ${from ?? position}. Run ${again}, or with --from now to skip all events until now`,
    };
  }
  if (outcome.ok.status === 'failing') {
    return { line: `${webhook} is failing. The server tries it again now.` };
  }
  const isSame = status === 'enabled' && from === undefined;
  return isSame ? { line: `${webhook} was already enabled.` } : 'resumed';
}
