import { join } from 'node:path';
import { startChild } from '../children.ts';
import { thisVersion, type Version } from '../versions.ts';
import type { RunningServer, Workbench } from '../workbench.ts';

/** The key of all measured servers that check keys. */
export const apiKey = 'benchmark-key-of-no-secrecy';
export const authorization = { authorization: `Bearer ${apiKey}` } as const;

const serve = ['serve', '--port', '0', '--log-level', 'info'] as const;

/** Our server with storage that does nothing. */
export const stubbedStorage = [process.execPath, join(import.meta.dir, 'stubbed-storage.ts')];

export interface AnimalStoreOptions {
  readonly databaseUrl: string;
  /** By default, the version of these sources. */
  readonly version?: Version;
  /** In place of `serve`. */
  readonly program?: readonly string[];
  readonly arguments?: readonly string[];
}

/** Starts our server as its own process, as an operator would. */
export async function startAnimalStore(
  { pinning }: Workbench,
  options: AnimalStoreOptions,
): Promise<RunningServer> {
  const { databaseUrl, version = thisVersion, program = [...version.command, ...serve] } = options;
  const child = startChild([...program, ...(options.arguments ?? [])], {
    cores: pinning.server,
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      ANIMAL_STORE_API_KEY: apiKey,
    },
  });
  const ready = await child.find(/"url":"(http:\/\/[^"]+)\/v1"/);
  if (ready?.[1] === undefined) {
    throw new Error(`it did not start: ${child.output().stderr.trim()}`);
  }
  return {
    name: program === stubbedStorage ? 'stubbed storage' : 'animal-store',
    origin: ready[1],
    pid: child.pid,
    headers: authorization,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
