import { type AddedAnimal, type Answer, addAnimal, request } from '../requests.ts';
import type { Change } from './actions.ts';
import { addRow, deleteRow, loosenRow } from './records.ts';
import { isWeak } from './serve.ts';
import { addResult, Finding, type RunningServer, step, type World } from './world.ts';

/** Adds animals through a running server, and changes, deletes or orders the last one. */
export async function write(
  world: World,
  server: number,
  adds: number,
  also: Change,
): Promise<void> {
  const running = world.servers[server % Math.max(1, world.servers.length)];
  if (running === undefined) return;
  step(world, `POST ${adds} animals to the server of ${running.opened.real}, ${also} the last one`);
  const results: string[] = [];
  let last: number | undefined;
  for (let count = 0; count < adds; count += 1) {
    const name = nextName(world);
    const answer = await addAnimal(running.server.origin, name);
    last = acknowledge(world, running, answer, ['pet', name]);
    results.push(last === undefined ? `${answer.httpStatus}` : `pet ${last}`);
  }
  addResult(world, results.join(', '));
  if (last !== undefined) await change(world, running, last, also);
}

function nextName(world: World): string {
  world.names += 1;
  return `n${world.names}`;
}

/** Adds a created record to the model. Returns its id. */
function acknowledge(
  world: World,
  running: RunningServer,
  answer: Answer<AddedAnimal>,
  [kind, value]: readonly [kind: 'pet' | 'order', value: string],
): number | undefined {
  const { data } = running;
  if (answer.httpStatus !== 201) {
    world.unknown.add(value);
    checkWrite(running, answer);
    return undefined;
  }
  const id = Number(answer.body?.id);
  const row = `${kind} ${id}`;
  if (data.ruinedBy === undefined && data.full?.given.has(row)) {
    throw new Finding('id-twice', `${row} was assigned before`);
  }
  world.given.add(row);
  running.overwritten?.acknowledged.add(row);
  data.full = data.full && addRow(data.full, row, value);
  return id;
}

function checkWrite(running: RunningServer, { httpStatus, timedOut }: Answer<unknown>): void {
  if (timedOut) throw new Finding('hang', 'a write gets no answer');
  if (running.overwritten !== undefined) return;
  if (!isWeak(running)) throw new Finding('refused', `a write gets ${httpStatus}`);
}

async function change(
  world: World,
  running: RunningServer,
  id: number,
  also: Change,
): Promise<void> {
  const { server, data } = running;
  const url = `${server.origin}/v1/pets/${id}`;
  const row = `pet ${id}`;
  if (also === 'order') {
    const order = { method: 'POST', content: { petId: id } };
    const answer = await request<AddedAnimal>(`${server.origin}/v1/store/orders`, order);
    acknowledge(world, running, answer, ['order', `of ${id}`]);
  } else if (also !== 'nothing') {
    const name = nextName(world);
    const isRename = also === 'rename';
    const answer = await request(
      url,
      isRename ? { method: 'PATCH', content: { name } } : { method: 'DELETE' },
    );
    if (![200, 204].includes(answer.httpStatus)) {
      data.full = data.full && loosenRow(data.full, row);
      return checkWrite(running, answer);
    }
    const change = isRename ? addRow : deleteRow;
    data.full = data.full && change(data.full, row, name);
  }
}
