import {
  animalStoreDialect,
  type Dialect,
  fastifyDialect,
  jsonServerDialect,
  prismDialect,
} from './dialects.ts';
import { type StaticFile, startNginx } from './peers/nginx.ts';
import { startFastify, startJsonServer, startPrism } from './peers/peers.ts';
import { type AnimalStoreVariant, startAnimalStore } from './servers/animal-store.ts';
import type { RunningServer } from './servers/running-server.ts';
import type { TestAnimals } from './test-animals.ts';
import type { Tool } from './tools.ts';
import type { Workbench } from './workbench.ts';

/** A server that can be measured. */
export interface Subject {
  readonly dialect: Dialect;
  /** Without it there is no such server. */
  readonly tool?: Tool;
  /** `files` are what a server of static files is to serve. */
  start(
    workbench: Workbench,
    testAnimals: TestAnimals,
    files: readonly StaticFile[],
  ): Promise<RunningServer>;
}

export const subjects = {
  'animal-store': animalStore('animal-store'),
  'stubbed storage': animalStore('stubbed storage'),
  'each commit alone': animalStore('each commit alone'),
  nginx: nginx('nginx', false),
  'nginx, files kept open': nginx('nginx, files kept open', true),
  'Fastify + better-sqlite3': {
    dialect: fastifyDialect,
    tool: 'npm',
    start: (workbench, { animalsPath }) => startFastify(workbench, animalsPath),
  },
  'json-server': {
    dialect: jsonServerDialect,
    tool: 'npm',
    start: (workbench, { animalsPath }) => startJsonServer(workbench, animalsPath),
  },
  Prism: {
    dialect: prismDialect,
    tool: 'npm',
    start: (workbench, { animalsPath }) => startPrism(workbench, animalsPath),
  },
} as const satisfies Record<string, Subject>;

export type SubjectName = keyof typeof subjects;

function animalStore(variant: AnimalStoreVariant): Subject {
  return {
    dialect: animalStoreDialect,
    start: (workbench, testAnimals) =>
      startAnimalStore(workbench, { variant, databaseUrl: testAnimals.copyDatabase() }),
  };
}

function nginx(name: string, keepFilesOpen: boolean): Subject {
  return {
    dialect: animalStoreDialect,
    tool: 'nginx',
    start: (workbench, _testAnimals, files) =>
      startNginx(workbench, { name, files, keepFilesOpen }),
  };
}
