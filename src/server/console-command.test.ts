import { expect, test } from 'bun:test';
import { createFormatCommand, inContainer, type StartedServer } from './console-command.ts';

const config: StartedServer['config'] = {
  database: { engine: 'sqlite', path: 'data/animal-store.db' },
  durability: 'checked',
  allowDataLoss: false,
  host: '127.0.0.1',
  port: 8080,
  environment: 'production',
  baseUrl: undefined,
  stagingBaseUrl: undefined,
};
const executable = {
  where: [],
  publicWhere: [],
  program: ['/opt/bin/animal-store'],
  publicProgram: ['animal-store'],
  isInSameFolder: false,
  hasSameEnvironment: false,
};
const program = ['npm', 'run', '-s', 'animal-store', '--'];
const sources = { ...executable, program, publicProgram: program, isInSameFolder: true };
const service = {
  ...executable,
  where: ['runuser', '-u', 'shop', '--'],
  publicWhere: ['runuser', '-u', '…', '--'],
};
const container = inContainer({ ...executable, where: ['docker', 'exec', '0123456789ab'] });
const baseUrl = 'https://animals.example/v1';
const elsewhere = { engine: 'sqlite', path: "/srv/it's/shop.db" } as const;
const postgres = (url: string) => ({ database: { engine: 'postgres', url } as const });

type Case = [
  what: string,
  start: StartedServer['start'],
  changes: Partial<StartedServer['config']>,
  flags: string,
  onLoopback: string,
  elsewhere: string,
];

test.each<Case>([
  [
    'sources',
    sources,
    {},
    '',
    'npm run -s animal-store -- console',
    'npm run -s animal-store -- console',
  ],
  [
    'sources with a database and a port, by variables or flags',
    sources,
    { database: { engine: 'sqlite', path: 'data/my shop.db' }, port: 9000 },
    '',
    "npm run -s animal-store -- console --database 'sqlite:data/my shop.db' --port 9000",
    'npm run -s animal-store -- console --database … --port 9000',
  ],
  [
    'an executable',
    executable,
    {},
    '',
    `/opt/bin/animal-store console --database sqlite:${process.cwd()}/data/animal-store.db`,
    'animal-store console',
  ],
  [
    'an executable on a port that the system chose, at another loopback address',
    executable,
    { database: elsewhere, port: 0, host: '::1' },
    '',
    `/opt/bin/animal-store console --database 'sqlite:/srv/it'\\''s/shop.db' --host ::1 --port 4321`,
    'animal-store console --database … --port 4321',
  ],
  [
    'a service behind a proxy',
    service,
    { database: elsewhere, port: 9000, baseUrl },
    '',
    `runuser -u shop -- /opt/bin/animal-store console --database 'sqlite:/srv/it'\\''s/shop.db' --base-url ${baseUrl}`,
    `runuser -u … -- animal-store console --database … --base-url ${baseUrl}`,
  ],
  [
    'a container, whose environment every command has',
    container,
    { database: elsewhere, host: '0.0.0.0', baseUrl },
    'port',
    'docker exec 0123456789ab animal-store console',
    'docker exec 0123456789ab animal-store console',
  ],
  [
    'a container with flags and a name, on any address',
    inContainer({ ...executable, where: ['podman', 'exec', 'shop-one'] }),
    { database: elsewhere, host: '0.0.0.0', stagingBaseUrl: baseUrl, environment: 'staging' },
    'database stagingBaseUrl',
    `podman exec … animal-store console --database … --staging-base-url ${baseUrl}`,
    `podman exec … animal-store console --database … --staging-base-url ${baseUrl}`,
  ],
  [
    'PostgreSQL without a password',
    sources,
    { ...postgres('postgres://shop@db.internal/shop'), allowDataLoss: true },
    '',
    'npm run -s animal-store -- console --database postgres://shop@db.internal/shop --allow-data-loss true',
    'npm run -s animal-store -- console --database … --allow-data-loss true',
  ],
  ...['postgres://shop:secret@db/shop', 'postgres://db/shop?password=secret'].map(
    (url): Case => [
      `PostgreSQL with a password: ${url}`,
      sources,
      postgres(url),
      '',
      'npm run -s animal-store -- console --database …',
      'npm run -s animal-store -- console --database …',
    ],
  ),
])('the sign-in page shows the command of %s', (_what, start, changes, flags, here, there) => {
  const server = { start, config: { ...config, ...changes }, flags: new Set(flags.split(' ')) };
  const format = createFormatCommand(server);
  expect(format({ isLoopback: true, port: '4321' })).toBe(here);
  expect(format({ isLoopback: false, port: '4321' })).toBe(there);
});
