// Our server with a database that stores nothing and resolves writes at once. The difference to the real server is the cost of storage.

import type { Pet } from '../../src/domain/pet.ts';
import { createHistogram } from '../../src/domain/values/histogram.ts';
import type {
  CommandInput,
  CommandName,
  CommandOutcome,
} from '../../src/storage/contract/command-writer.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { serveDatabase } from './serve-database.ts';

type StubbedCommands = {
  readonly [Name in CommandName]?: (input: CommandInput<Name>) => CommandOutcome<Name>;
};

let lastId = 0n;
let newest: Pet[] = [];

const commands: StubbedCommands = {
  createPet({ pet }) {
    lastId += 1n;
    const created: Pet = { id: lastId, ...pet, status: pet.status ?? 'available' };
    newest = [created, ...newest.slice(0, 99)];
    return { ok: created };
  },
  saveApiKeyUses: () => ({ ok: null }),
};

function run<Name extends CommandName>(
  name: Name,
  input: CommandInput<Name>,
): Promise<CommandOutcome<Name>> {
  const command = commands[name];
  return command === undefined
    ? Promise.reject(new Error(`${name} is not stubbed`))
    : Promise.resolve(command(input));
}

/** What the measured requests need. */
const database: Partial<Database> = {
  dataVersion: () => Number(lastId),
  accessVersion: () => 0,
  staleMillisecondsMax: 0,
  readsWait: false,
  readWorkspaceVersion: () => Number(lastId),
  readPetPage: (_context, _workspaceId, { limit }) => ({
    items: newest.slice(0, limit),
    nextAfterId: undefined,
  }),
  readPet: (_context, _workspaceId, id) => newest.find((pet) => pet.id === id),
  findWorkspace: (_context, name) => ({ id: 1n, name, createdAt: 0 }),
  findApiKey: () => undefined,
  hasHadApiKey: () => true,
  write: (_context, name, input) => run(name, input),
  async writeKeyed(_context, name, input) {
    const outcome = await run(name, input);
    return 'ok' in outcome ? { ...outcome, replayed: false } : outcome;
  },
  broken: new Promise(() => {}),
  statistics: () => ({
    commandsWaiting: 0,
    commits: { seconds: createHistogram([]), commands: createHistogram([]) },
  }),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

await serveDatabase(database as Database);
