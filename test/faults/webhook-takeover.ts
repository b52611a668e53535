import { runProgram, type ServerProcess } from '../support/server-process.ts';
import { type Received, startReceiver } from '../support/webhook-receiver.ts';
import { onPostgres, type PostgresDatabase, type StartOptions } from './databases.ts';
import { linesOf, overLimits, seconds } from './figures.ts';
import { startLoad } from './load.ts';
import type { LongTest, TestOutcome } from './long-test.ts';

const takeoverMillisecondsMax = 65_000;
const deliveredMillisecondsMax = 60_000;

const settings: StartOptions = { args: ['--webhook-allow', '127.0.0.1'] };

export const webhookTakeover: LongTest = {
  name: 'webhook-takeover',
  title:
    'the one of two servers on PostgreSQL that delivers killed (SIGKILL), or stopped and continued (SIGSTOP, SIGCONT)',
  isPatient: true,
  run: () => onPostgres(runTakeovers),
};

async function runTakeovers(database: PostgresDatabase): Promise<TestOutcome> {
  const headers = await createKey(database.url);
  using endpoint = startEndpoint();
  let longest = 0;
  let events = 0;
  let isFirst = true;
  const broken: string[] = [];
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    await using holder = await database.start(settings);
    if (isFirst) await addWebhook(holder, headers, endpoint.url);
    isFirst = false;
    const load = startLoad(holder, 2, 0, signal);
    await endpoint.getsMore(20);
    // It waits for answers, so it has the lease.
    endpoint.hold();
    await endpoint.getsMore(5);
    await load.stop();
    await using other = await database.start(settings);
    process.kill(holder.pid, signal);
    const before = performance.now();
    endpoint.release();
    events += load.acknowledged.size;
    await endpoint.getsMore(1);
    longest = Math.max(longest, performance.now() - before);
    await endpoint.getsAll(events);
    if (signal === 'SIGSTOP') process.kill(holder.pid, 'SIGCONT');
    // The server that continues may record what it sent, unless another has the lease.
    const later = startLoad(signal === 'SIGSTOP' ? holder : other, 1, 0, `After ${signal}`);
    await endpoint.getsMore(20);
    await later.stop();
    events += later.acknowledged.size;
    await endpoint.getsAll(events);
    broken.push(...(await positionFaults(other, headers, events)));
    if (signal === 'SIGSTOP') await holder.stop('SIGTERM');
    await other.stop('SIGTERM');
  }
  broken.push(...endpoint.faults(events));
  return {
    figures: [
      `taken over within ${seconds(longest)}`,
      `${events} events, ${endpoint.repeats()} repeated, ${broken.join(', ') || 'none skipped'}`,
    ],
    broken,
    late: overLimits(['a takeover took', longest, takeoverMillisecondsMax]),
  };
}

async function createKey(url: string): Promise<Record<string, string>> {
  const args = ['keys', 'create', '--name', 'hooks', '--scopes', 'webhooks:manage'];
  const { stdout, stderr } = await runProgram(args, { DATABASE_URL: url });
  const [key] = /anst_live_\w+/.exec(stdout) ?? [];
  if (key === undefined) throw new Error(`keys create failed: ${stderr}`);
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
}

async function addWebhook(
  { origin }: ServerProcess,
  headers: Record<string, string>,
  url: string,
): Promise<void> {
  const init = { method: 'POST', headers, body: JSON.stringify({ url }) };
  const answer = await fetch(`${origin}/v1/webhooks`, init);
  if (answer.status !== 201) throw new Error(await answer.text());
}

/** Waits until the position is that of the last event. It is stored soon after the last answer. */
async function positionFaults(
  { origin }: ServerProcess,
  headers: Record<string, string>,
  events: number,
): Promise<string[]> {
  const until = performance.now() + deliveredMillisecondsMax;
  for (;;) {
    const answer = await fetch(`${origin}/v1/webhooks/1`, { headers });
    const { position, status } = JSON.parse(await answer.text());
    if (position === events && status === 'enabled') return [];
    if (performance.now() > until) return [`position ${position} of ${events}, ${status}`];
    await Bun.sleep(50);
  }
}

/** An endpoint that remembers what it got. */
function startEndpoint() {
  const receiver = startReceiver();
  /** By sequence. */
  const bodies = new Map<number, Received>();
  const changed = new Set<number>();
  let held: PromiseWithResolvers<void> | undefined;
  let onReceived = () => {};
  receiver.answer = async (got) => {
    const first = bodies.get(got.sequence);
    bodies.set(got.sequence, first ?? got);
    const webhookId = got.headers.get('webhook-id');
    if ((first ?? got).body !== got.body || webhookId !== got.id) changed.add(got.sequence);
    onReceived();
    await held?.promise;
    return new Response(null, { status: 204 });
  };

  /** The rest shows in `faults`. */
  async function waitUntil(isMet: () => boolean): Promise<void> {
    const until = performance.now() + takeoverMillisecondsMax + deliveredMillisecondsMax;
    while (!isMet() && performance.now() < until) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1000);
        onReceived = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  return {
    url: receiver.url,
    /** Answers nothing until `release`. */
    hold: () => {
      held = Promise.withResolvers();
    },
    release: () => {
      held?.resolve();
      held = undefined;
    },
    async getsMore(count: number): Promise<void> {
      const enough = receiver.received.length + count;
      await waitUntil(() => receiver.received.length >= enough);
    },
    getsAll: (count: number) => waitUntil(() => bodies.size >= count),
    repeats: () => receiver.received.length - bodies.size,
    faults(count: number): string[] {
      const missing = Array.from({ length: count }, (_, index) => index + 1).filter(
        (sequence) => !bodies.has(sequence),
      );
      return linesOf(
        missing.length > 0 && `${missing.length} events skipped, the first is ${missing[0]}`,
        changed.size > 0 && `${changed.size} events changed between attempts`,
      );
    },
    [Symbol.dispose]: () => receiver[Symbol.dispose](),
  };
}
