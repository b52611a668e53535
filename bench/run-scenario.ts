import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMemory } from './cpu.ts';
import { measureInTurns, type Target } from './measure.ts';
import type { StaticFile } from './peers/nginx.ts';
import type { ScenarioResult } from './result.ts';
import { type Scenario, type ScenarioFacts, type ScenarioName, scenarios } from './scenarios.ts';
import type { RunningServer } from './servers/running-server.ts';
import { type Subject, type SubjectName, subjects } from './subjects.ts';
import type { TestAnimals } from './test-animals.ts';
import type { Workbench } from './workbench.ts';
import type { Load } from './wrk.ts';

/** Measures one scenario on every server that can take part. Undefined when ours cannot. */
export async function runScenario(
  workbench: Workbench,
  testAnimals: TestAnimals,
  name: ScenarioName,
  available: ReadonlySet<SubjectName>,
): Promise<ScenarioResult | undefined> {
  const scenario: Scenario = scenarios[name];
  await using servers = new AsyncDisposableStack();
  const targets: Target[] = [];
  let files: readonly StaticFile[] = [];
  for (const subjectName of scenario.subjects.filter((subject) => available.has(subject))) {
    const subject: Subject = subjects[subjectName];
    const isOurs = targets.length === 0;
    try {
      const server = servers.use(await subject.start(workbench, testAnimals, files));
      const load = await prepareLoad(workbench, scenario, subject, server);
      targets.push({ server, load });
      if (isOurs && scenario.subjects.includes('nginx')) files = await fetchFiles(server, load);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      workbench.note(`${scenario.title}: ${subjectName} is left out. ${reason}`);
      if (isOurs) return undefined;
    }
  }
  const measurements = await measureInTurns(workbench, targets, workbench.pace.connections);
  const memory = Object.fromEntries(
    targets.map(({ server }) => [server.name, readMemory(server.pid)]),
  );
  return { name, title: scenario.title, measurements, memory };
}

/** The load of a scenario for one server, once that server was seen to answer it as it should. */
async function prepareLoad(
  { folder, animals }: Workbench,
  { load: loadFor, httpStatus }: Scenario,
  { dialect }: Subject,
  server: RunningServer,
): Promise<Load> {
  const facts: ScenarioFacts = {
    animals,
    writeLines(lines) {
      const path = join(mkdtempSync(join(folder, 'paths-')), 'paths');
      writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
      return path;
    },
  };
  const load = loadFor(dialect, facts);
  if (httpStatus !== 304) {
    await expectStatus(server, load, httpStatus);
    return load;
  }
  const etag = (await send(server, load)).headers.get('etag');
  if (etag === null) throw new Error('It sends no ETag.');
  const conditional: Load = { kind: 'get', path: pathOf(load), headers: { 'if-none-match': etag } };
  await expectStatus(server, conditional, httpStatus);
  return conditional;
}

async function expectStatus(server: RunningServer, load: Load, httpStatus: number): Promise<void> {
  const response = await send(server, load);
  const text = await response.text();
  if (response.status !== httpStatus) {
    throw new Error(
      `It answered ${response.status} in place of ${httpStatus}: ${text.slice(0, 200)}`,
    );
  }
}

function send({ origin, headers }: RunningServer, load: Load): Promise<Response> {
  const url = `${origin}${pathOf(load)}`;
  if (load.kind === 'create') {
    const json = { 'content-type': 'application/json' };
    return fetch(url, { method: 'POST', headers: { ...headers, ...json }, body: load.body });
  }
  return fetch(url, { headers: { ...headers, ...(load.kind === 'get' ? load.headers : {}) } });
}

/** Everything that a load asks for, as our server answers it: one file for each path. */
async function fetchFiles(server: RunningServer, load: Load): Promise<readonly StaticFile[]> {
  const files = new Map<string, StaticFile>();
  for (const target of load.kind === 'paths' ? load.paths : [pathOf(load)]) {
    const [path = ''] = target.split('?');
    if (files.has(path)) continue;
    const response = await fetch(`${server.origin}${target}`, { headers: server.headers });
    files.set(path, { path, body: await response.bytes() });
  }
  return [...files.values()];
}

function pathOf(load: Load): string {
  return load.kind === 'paths' ? (load.paths[0] ?? '') : load.path;
}
