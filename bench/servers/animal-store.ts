import { join } from 'node:path';
import { startChild } from '../children.ts';
import { thisVersion, type Version } from '../versions.ts';
import type { Workbench } from '../workbench.ts';
import type { RunningServer } from './running-server.ts';

const apiKey = 'benchmark-key-of-no-secrecy';

/** The key that every measured server which checks keys accepts. */
export const authorization = { authorization: `Bearer ${apiKey}` } as const;

const serve = ['serve', '--port', '0', '--log-level', 'info'] as const;

/** Our server, and the two of its kind that show what its storage costs. */
const programs = {
  'animal-store': [...thisVersion.command, ...serve],
  'stubbed storage': [process.execPath, join(import.meta.dir, 'stubbed-storage.ts')],
  'each commit alone': [process.execPath, join(import.meta.dir, 'commit-alone.ts')],
} as const;

export type AnimalStoreVariant = keyof typeof programs;

export interface AnimalStoreOptions {
  readonly databaseUrl: string;
  readonly variant?: AnimalStoreVariant;
  /** Another than this one, of our server as it is. */
  readonly version?: Version;
  readonly arguments?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts our server as its own process, as an operator would. */
export async function startAnimalStore(
  { pinning }: Workbench,
  options: AnimalStoreOptions,
): Promise<RunningServer> {
  const { databaseUrl, variant = 'animal-store', version } = options;
  const program = version === undefined ? programs[variant] : [...version.command, ...serve];
  const child = startChild([...program, ...(options.arguments ?? [])], {
    cores: pinning.server,
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      ANIMAL_STORE_API_KEY: apiKey,
      ...options.env,
    },
  });
  const ready = await child.find(/"url":"(http:\/\/[^"]+)\/v1"/);
  if (ready?.[1] === undefined) {
    throw new Error(`${variant} did not start: ${child.output().stderr.trim()}`);
  }
  return {
    name: variant,
    origin: ready[1],
    pid: child.pid,
    headers: authorization,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
