import type { Change } from './actions.ts';
import { addRow, deleteRow, loosenRow } from './records.ts';
import { type Answer, idIn, request } from './requests.ts';
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
    const answer = await request(`${running.server.origin}/v1/pets`, 'POST', {
      name,
      categoryId: 1,
    });
    last = acknowledge(world, running, { answer, kind: 'pet', value: name });
    results.push(last === undefined ? `${answer.httpStatus}` : `pet ${last}`);
  }
  addResult(world, results.join(', '));
  if (last !== undefined) await change(world, running, last, also);
}

function nextName(world: World): string {
  world.names += 1;
  return `n${world.names}`;
}

/** Takes what was added into the model; returns its id. */
function acknowledge(
  world: World,
  running: RunningServer,
  {
    answer,
    kind,
    value,
  }: { readonly answer: Answer; readonly kind: string; readonly value: string },
): number | undefined {
  const { data } = running;
  if (answer.httpStatus !== 201) {
    world.unknown.add(value);
    checkWrite(world, running, answer);
    return undefined;
  }
  const id = idIn(answer.body);
  const row = `${kind} ${id}`;
  if (data.ruinedBy === undefined && data.full?.given.has(row)) {
    throw new Finding('id-twice', `${row} was given out before`);
  }
  world.given.add(row);
  data.full = data.full && addRow(data.full, row, value);
  return id;
}

function checkWrite(world: World, running: RunningServer, { httpStatus }: Answer): void {
  if (httpStatus === -1) throw new Finding('hang', 'a write gets no answer');
  if (!isWeak(world, running)) throw new Finding('refused', `a write gets ${httpStatus}`);
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
    const answer = await request(`${server.origin}/v1/store/orders`, 'POST', { petId: id });
    acknowledge(world, running, { answer, kind: 'order', value: `of ${id}` });
  } else if (also !== 'nothing') {
    const name = nextName(world);
    const answer =
      also === 'rename' ? await request(url, 'PATCH', { name }) : await request(url, 'DELETE');
    if (![200, 204].includes(answer.httpStatus)) {
      data.full = data.full && loosenRow(data.full, row);
      return checkWrite(world, running, answer);
    }
    const change = also === 'rename' ? addRow : deleteRow;
    data.full = data.full && change(data.full, row, name);
  }
}
