import { axum, fastApi, pocketBase } from './peers/native-peers.ts';
import { startNginx } from './peers/nginx.ts';
import { fastify, jsonServer, prism } from './peers/node-peers.ts';
import { startAnimalStore, stubbedStorage } from './servers/animal-store.ts';
import { startOnPostgres } from './servers/engines.ts';
import { animalStoreDialect, type Subject } from './subject.ts';

export const subjects = {
  'animal-store': {
    dialect: animalStoreDialect,
    lacks: 'nothing: `animal-store serve` with default options',
    start: (workbench, animals) =>
      startAnimalStore(workbench, { databaseUrl: animals.copyDatabase() }),
  },
  'animal-store on PostgreSQL': {
    dialect: animalStoreDialect,
    lacks: 'nothing. The CPU of PostgreSQL is counted; it uses the core of the load',
    start: (workbench, { count }) => startOnPostgres(workbench, count),
  },
  'stubbed storage': {
    dialect: animalStoreDialect,
    lacks: 'storage: our server with a database that answers from memory and stores nothing',
    start: (workbench) =>
      startAnimalStore(workbench, { databaseUrl: 'none', program: stubbedStorage }),
  },
  nginx: nginx('nginx', false),
  'nginx, files kept open': nginx('nginx, files kept open', true),
  'Fastify + better-sqlite3': fastify,
  'axum + rusqlite': axum,
  'FastAPI + SQLModel': fastApi,
  PocketBase: pocketBase,
  'json-server': jsonServer,
  Prism: prism,
} as const satisfies Record<string, Subject>;

export type SubjectName = keyof typeof subjects;

function nginx(name: string, keepFilesOpen: boolean): Subject {
  return {
    dialect: animalStoreDialect,
    lacks: 'everything except bytes: it serves our answers as files, without keys and data',
    start: (workbench, { files }) => startNginx(workbench, { name, files, keepFilesOpen }),
  };
}
