import { join } from 'node:path';
import type { LongTest, TestOutcome } from '../faults/long-test.ts';
import { installPython, pythonIsMissing } from '../support/python.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { addPet, run } from './follow-recipe.ts';

/** Each prints `open`, then the sequence of each event, and ends soon after three. A block without data is no event. */
const programs: Readonly<
  Record<string, { readonly command: readonly string[]; readonly text: string }>
> = {
  'eventsource.mjs': {
    command: [process.execPath],
    text: `
import { EventSource } from 'eventsource';
const { STREAM: url, KEY: key } = process.env;
const withKey = (input, init) => fetch(input, { ...init, headers: { ...init.headers, authorization: 'Bearer ' + key } });
const source = new EventSource(url, { fetch: withKey });
let count = 0;
source.onopen = () => console.log('open');
source.onmessage = ({ data }) => {
  if (data === '') return;
  console.log(JSON.parse(data).sequence);
  count += 1;
  if (count === 3) source.close();
};`,
  },
  'fetch-event-source.mjs': {
    command: [process.execPath],
    // It is made for browsers.
    text: `
globalThis.window = globalThis;
globalThis.document = { removeEventListener() {} };
const { fetchEventSource } = await import('@microsoft/fetch-event-source');
const { STREAM: url, KEY: key } = process.env;
const stop = new AbortController();
let count = 0;
await fetchEventSource(url, {
  headers: { authorization: 'Bearer ' + key },
  signal: stop.signal,
  openWhenHidden: true,
  async onopen() { console.log('open'); },
  onclose() { throw new Error('closed'); },
  onmessage({ data }) {
    if (data === '') return;
    console.log(JSON.parse(data).sequence);
    count += 1;
    if (count === 3) stop.abort();
  },
});`,
  },
  'with_httpx_sse.py': {
    command: ['venv/bin/python', '-u'],
    text: `
import json, os
import httpx
from httpx_sse import connect_sse
headers = {"authorization": "Bearer " + os.environ["KEY"]}
count = 0
with httpx.Client(timeout=httpx.Timeout(10, read=45), trust_env=False) as client:
    with connect_sse(client, "GET", os.environ["STREAM"], headers=headers) as source:
        print("open")
        for event in source.iter_sse():
            if event.data == "":
                continue
            print(json.loads(event.data)["sequence"])
            count += 1
            if count == 3:
                break
`,
  },
  'with_sseclient.py': {
    command: ['venv/bin/python', '-u'],
    text: `
import json, os
import requests, sseclient
headers = {"authorization": "Bearer " + os.environ["KEY"], "accept": "text/event-stream"}
session = requests.Session()
session.trust_env = False
response = session.get(os.environ["STREAM"], headers=headers, stream=True, timeout=(10, 45))
print("open")
count = 0
for event in sseclient.SSEClient(response).events():
    if event.data == "":
        continue
    print(json.loads(event.data)["sequence"])
    count += 1
    if count == 3:
        break
`,
  },
};

const readMillisecondsMax = 60_000;

export const streamLibraries: LongTest = {
  name: 'stream-libraries',
  title: 'libraries that read streams of events',
  missing: pythonIsMissing,
  async run(): Promise<TestOutcome> {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/animals.db`);
    const environment = { URL: `${server.origin}/v1`, KEY: server.firstKey ?? '' };
    const recipe = { folder: folder.path, environment };
    await Bun.write(join(folder.path, 'package.json'), '{"private":true,"type":"module"}');
    const [, failure] = await Promise.all([
      run(recipe, [
        'npm',
        'install',
        '--no-audit',
        '--no-fund',
        'eventsource@5.1.5',
        '@microsoft/fetch-event-source@2.0.1',
      ]),
      installPython(
        folder.path,
        ...['httpx-sse==0.4.3', 'httpx==0.28.1', 'sseclient-py==1.9.0', 'requests==2.34.2'],
      ),
    ]);
    if (failure !== undefined) return { figures: [], broken: [failure] };
    const broken: string[] = [];
    for (const query of ['after=now', 'after=now&type=pet.*']) {
      const stream = `${environment.URL}/events/stream?${query}`;
      const readers = Object.entries(programs).map(async ([name, { command, text }]) => {
        await Bun.write(join(folder.path, name), text);
        const child = Bun.spawn([...command, name], {
          cwd: folder.path,
          env: { ...process.env, KEY: environment.KEY, STREAM: stream },
          stdout: 'pipe',
          stderr: 'pipe',
          timeout: readMillisecondsMax,
        });
        return { name, child, ...watch(child.stdout) };
      });
      const started = await Promise.all(readers);
      await Promise.all(started.map(({ opened }) => opened));
      // The position of now is read a moment after the head of the answer.
      let isReading = true;
      const done = Promise.all(started.map(({ child }) => child.exited)).then(() => {
        isReading = false;
      });
      for (let count = 0; isReading && count < 1000; count += 1) await addPet(recipe);
      await done;
      for (const { name, child, ended } of started) {
        const sequences = (await ended).trim().split('\n').slice(1, 4).map(Number);
        const [first = 0] = sequences;
        if (`${sequences}` === `${[first, first + 1, first + 2]}` && first > 0) continue;
        broken.push(`${name} ${query}: ${sequences} ${await new Response(child.stderr).text()}`);
      }
    }
    return { figures: [`${Object.keys(programs).length} libraries`], broken };
  },
};

/** Resolves `opened` with the first text, or at the end. */
function watch(stream: ReadableStream<Uint8Array>) {
  const opened = Promise.withResolvers<void>();
  const read = async () => {
    let text = '';
    for await (const part of stream) {
      text += Buffer.from(part).toString();
      opened.resolve();
    }
    opened.resolve();
    return text;
  };
  return { opened: opened.promise, ended: read() };
}
