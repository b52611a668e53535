import type { Command } from 'commander';
import { background } from '../context/context.ts';
import { operatorApiKeyId } from '../domain/access/api-key.ts';
import { defaultWorkspaceName, type Workspace } from '../domain/access/workspace.ts';
import { isActorForm, type StoredEvent } from '../domain/event.ts';
import { parseExactJson } from '../domain/values/exact-json.ts';
import { textIf, wholeNumber } from '../ops/setting-values.ts';
import type { Reads } from '../storage/contract/reads-and-commands.ts';
import { CliFailure, noSuchKey } from '../terminal/cli-failure.ts';
import { optional } from '../terminal/command-line.ts';
import { addListAction, optionalText } from './list-command.ts';
import { requireWorkspace } from './require-workspace.ts';

export function addEventsCommand(program: Command): void {
  const command = program
    .command('events')
    .description('List changes of records, oldest first, as the feed has them.')
    .option(
      '--workspace <name>',
      `workspace of the records (default: "${defaultWorkspaceName}", or with --actor key:ID the workspace of the key)`,
    )
    .option('--actor <actor>', 'only changes by this actor: key:ID, owner or system')
    .option('--after <sequence>', 'only changes after this event');
  const parsers = {
    workspace: optionalText,
    actor: optional((text) => textIf(isActorForm(text), text, 'key:ID, owner or system')),
    after: optional((text) => wholeNumber(text, 0, Number.MAX_SAFE_INTEGER)),
  };
  addListAction(command, parsers, async (reads, { workspace: name, actor, after }) => {
    const { id } = await findWorkspace(reads, name, actor);
    return {
      headings: ['SEQUENCE', 'TIME', 'ACTOR', 'TYPE', 'RECORD'],
      toRow,
      toJson: ({ json }: StoredEvent) => parseExactJson(json),
      first: after,
      async readPage(limit: number, position?: number) {
        const found = await reads.readEvents(background, id, { after: position, actor, limit });
        if (found === undefined || 'expired' in found) throw new CliFailure(goneLine(position));
        const { events, position: next, head } = found;
        return { items: events, next: next < head ? next : undefined };
      },
      moreText: (position: number) =>
        `The list has newer changes. Add --after ${position} to list them`,
    };
  });
}

/** A key changes records of its own workspace only. The operator's own key is not stored. */
async function findWorkspace(
  reads: Reads,
  name: string | undefined,
  actor: string | undefined,
): Promise<Workspace> {
  const keyId = BigInt(/^key:(\d+)$/.exec(actor ?? '')?.[1] ?? operatorApiKeyId);
  if (keyId === operatorApiKeyId) return requireWorkspace(reads, name ?? defaultWorkspaceName);
  const key = await reads.findApiKeyById(background, keyId);
  if (key === undefined) throw noSuchKey(keyId);
  return requireWorkspace(reads, name ?? key.workspaceName);
}

function goneLine(position: number | undefined): string {
  return `Events after ${position ?? 0} are no longer stored: leave --after out to begin with the oldest one`;
}

/** The members of an event that a line shows. */
interface Shown {
  readonly timestamp: string;
  readonly actor: string;
  readonly type: string;
  readonly data: { readonly id?: number };
}

function toRow({ sequence, json }: StoredEvent): readonly string[] {
  const { timestamp, actor, type, data }: Shown = JSON.parse(json);
  const id = /"data":\{"id":(-?\d+)/.exec(json)?.[1];
  const record = data.id === undefined ? '-' : `${type.split('.')[0]}:${id ?? data.id}`;
  return [String(sequence), timestamp, actor, type, record];
}
