// Receives the events of a webhook while animals are added at a fixed rate, and prints how late they come. It is a process of its own,
// so that it has a core of its own.

import { flood, openEndpoint, respond } from '../test/support/webhook-endpoint.ts';
import { startReceiver } from '../test/support/webhook-receiver.ts';
import { animalStoreDialect as dialect } from './subject.ts';
import { newPetBody } from './wrk.ts';

export interface WebhookPlan {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether other webhooks of the workspace have endpoints that fail in all ways. */
  readonly hasBadEndpoints: boolean;
  readonly addsPerSecond: number;
  readonly seconds: number;
}

/** From the answer 201 until the request with the event arrives. It can arrive first: then, 0. */
export interface WebhookFigures {
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
}

const gigabyte = 1_000_000_000;
const eventMillisecondsMax = 10_000;

const { origin, headers, hasBadEndpoints, addsPerSecond, seconds }: WebhookPlan = JSON.parse(
  process.argv[2] ?? '',
);

async function call(method: string, path: string, body?: string): Promise<string> {
  const response = await fetch(origin + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text;
}

const webhookPaths: string[] = [];

async function addWebhook(url: string): Promise<void> {
  const { id } = JSON.parse(await call('POST', '/v1/webhooks', JSON.stringify({ url })));
  webhookPaths.push(`/v1/webhooks/${id}`);
}

const answeredAt = new Map<number, number>();
const arrivedAt = new Map<number, number>();
const done = Promise.withResolvers<void>();
const adds = addsPerSecond * seconds;

using receiver = startReceiver({
  answer({ body }) {
    const { id } = JSON.parse(body).data;
    if (!arrivedAt.has(id)) arrivedAt.set(id, performance.now());
    if (arrivedAt.size === adds) done.resolve();
    return new Response(null, { status: 204 });
  },
});
await addWebhook(receiver.url);

if (hasBadEndpoints) {
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${gigabyte}\r\n\r\n`;
  const endpoints = await Promise.all([
    openEndpoint(() => {}),
    openEndpoint((socket) => socket.resetAndDestroy(), { atOnce: true }),
    openEndpoint((socket) => {
      socket.write(head);
      const timer = setInterval(() => socket.write('x'), 100);
      socket.on('close', () => clearInterval(timer));
    }),
    openEndpoint(flood(head, Buffer.alloc(1_000_000), gigabyte)),
    openEndpoint(respond('HTTP/1.1 302 Found\nLocation: http://127.0.0.1:1/')),
  ]);
  for (const { port } of endpoints) await addWebhook(`http://127.0.0.1:${port}/`);
}

const startedAt = performance.now();
for (let number = 1; number <= adds; number += 1) {
  // At a random moment of its turn, because the server looks for events at fixed intervals.
  const at = startedAt + ((number - Math.random()) * 1000) / addsPerSecond;
  await Bun.sleep(Math.max(0, at - performance.now()));
  const { id } = JSON.parse(await call('POST', dialect.collection, newPetBody));
  answeredAt.set(id, performance.now());
}
const lateError = new Error(`An event did not arrive within ${eventMillisecondsMax / 1000} s`);
const timer = setTimeout(done.reject, eventMillisecondsMax, lateError);
await done.promise;
clearTimeout(timer);
for (const path of webhookPaths) await call('DELETE', path);

const delays = [...answeredAt]
  .map(([id, time]) => Math.max(0, (arrivedAt.get(id) ?? 0) - time))
  .sort((one, other) => one - other);
const delayOf = (share: number) => delays[Math.floor(delays.length * share)] ?? Number.NaN;
const figures: WebhookFigures = { p50Milliseconds: delayOf(0.5), p99Milliseconds: delayOf(0.99) };
console.log(JSON.stringify(figures));
process.exit();
