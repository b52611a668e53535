import { startProgress } from '../src/cli/progress.ts';
import { backupTicks, measureBackup } from './backup.ts';
import { demoRounds, measureDemo } from './demo.ts';
import { growthTicks, measureGrowth } from './growth.ts';
import { describeMachine } from './machine.ts';
import {
  fullPace,
  type PartName,
  partNames,
  scenarioNames,
  slowFlushMilliseconds,
} from './paces.ts';
import { installPeers } from './peers/install.ts';
import { measurePostgres, postgresTicks } from './postgres.ts';
import type { BenchResult, Pace, ScenarioResult, SlowFlushResult } from './result.ts';
import { runScenario } from './run-scenario.ts';
import { scenarios } from './scenarios.ts';
import { buildSlowFlush, measureSlowFlush, slowFlushTicks } from './slow-flush.ts';
import { measureSteps, stepTicks } from './steps.ts';
import { type Subject, type SubjectName, subjects } from './subjects.ts';
import { prepareTestAnimals, type TestAnimals } from './test-animals.ts';
import { choosePinning, findTools, type Tools } from './tools.ts';
import type { Workbench } from './workbench.ts';

export interface RunOptions {
  readonly parts: readonly PartName[];
  readonly pace: Pace;
  /** Empty, on the disk that is to be measured. */
  readonly folder: string;
  /** As it was typed. */
  readonly command: string;
}

const animals = 10_000;

/** Measures the parts, one after the other, and returns everything that was found. */
export async function runBench(options: RunOptions): Promise<BenchResult> {
  const { pace, command, folder } = options;
  const startedAt = new Date();
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  const tools = findTools();
  tools.missing.forEach(note);
  const pinning = choosePinning();
  if (pinning.server === undefined) {
    note('Fewer than two cores, or no taskset: server and load run wherever the kernel puts them.');
  }
  const parts = new Set(
    options.parts.filter((part) => tools.has('wrk') || part === 'demo' || part === 'steps'),
  );
  const chosen = scenarioNames.filter((name) => parts.has(name));

  using progress = await startProgress('measuring', countTicks(parts, pace));
  const tick = () => progress.add(1);
  const workbench: Workbench = { folder, tools, pinning, pace, animals, note, tick };
  const machine = await describeMachine(folder);
  if (machine.fileSystem === 'tmpfs') {
    note('The databases were in memory, where a flush costs nothing; name a disk with --folder.');
  }
  const testAnimals = await prepareTestAnimals(workbench);
  const available = chosen.length === 0 ? new Set<SubjectName>() : await findSubjects(tools, note);
  const measured: ScenarioResult[] = [];
  for (const name of chosen) {
    const result = await runScenario(workbench, testAnimals, name, available);
    if (result !== undefined) measured.push(result);
  }
  const slowFlush = parts.has('slow-flush') ? await runSlowFlush(workbench, testAnimals) : [];
  const growth = parts.has('growth') ? await measureGrowth(workbench) : undefined;
  const demo = parts.has('demo') ? await measureDemo(workbench) : undefined;
  const steps = parts.has('steps') ? await measureSteps(workbench) : undefined;
  const postgres = parts.has('postgres')
    ? await measurePostgres(workbench, testAnimals)
    : undefined;
  const backup = parts.has('backup') ? await measureBackup(workbench) : undefined;
  const minutes = (Date.now() - startedAt.getTime()) / 60_000;
  return {
    format: 1,
    isWhole: pace === fullPace && options.parts.length === partNames.length,
    startedAt: startedAt.toISOString(),
    minutes,
    command,
    machine,
    pace,
    scenarios: measured,
    growth,
    slowFlush,
    demo,
    steps,
    postgres,
    backup,
    notes,
  };
}

/** Which servers this machine can run. Installs the peers on first use. */
async function findSubjects(
  tools: Tools,
  note: (text: string) => void,
): Promise<ReadonlySet<SubjectName>> {
  let hasPeers = tools.has('npm');
  if (hasPeers) {
    try {
      await installPeers();
    } catch (error) {
      hasPeers = false;
      const reason = error instanceof Error ? error.message : String(error);
      note(`json-server, Prism and Fastify could not be installed, and are left out. ${reason}`);
    }
  }
  const names = Object.keys(subjects) as SubjectName[];
  return new Set(
    names.filter((name) => {
      const { tool }: Subject = subjects[name];
      return tool === undefined || (tool === 'npm' ? hasPeers : tools.has(tool));
    }),
  );
}

async function runSlowFlush(
  workbench: Workbench,
  testAnimals: TestAnimals,
): Promise<readonly SlowFlushResult[]> {
  if (!workbench.tools.has('cc')) return [];
  const library = await buildSlowFlush(workbench);
  const results: SlowFlushResult[] = [];
  for (const milliseconds of slowFlushMilliseconds) {
    const result = await measureSlowFlush(workbench, testAnimals, library, milliseconds);
    if (result !== undefined) results.push(result);
  }
  return results;
}

function countTicks(parts: ReadonlySet<PartName>, pace: Pace): number {
  const ofScenarios = scenarioNames
    .filter((name) => parts.has(name))
    .map((name) => scenarios[name].subjects.length * pace.connections.length * pace.rounds);
  return [
    ...ofScenarios,
    parts.has('growth') ? growthTicks(pace) : 0,
    parts.has('slow-flush') ? slowFlushTicks(pace) * slowFlushMilliseconds.length : 0,
    parts.has('demo') ? demoRounds(pace) : 0,
    parts.has('steps') ? stepTicks : 0,
    parts.has('postgres') ? postgresTicks(pace) : 0,
    parts.has('backup') ? backupTicks(pace) : 0,
  ].reduce((total, ticks) => total + ticks, 0);
}
