import { existsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { quoteWord } from '../domain/values/shell-word.ts';
import type { FormatConsoleCommand } from '../http/console/page.ts';
import { isLoopback } from '../http/public-urls.ts';
import { type Config, flagName, type SettingName, settings } from '../ops/config.ts';
import { type PublicUrlConfig, publicUrlsOf } from './public-urls.ts';

/** How this server was started, for a command that must be started in the same way. */
interface ServerStart {
  /** Runs the command where the server runs, such as in its container. Empty if every terminal of the machine can. */
  readonly where: readonly string[];
  /** The same for strangers, without the name of the container or the user. */
  readonly publicWhere: readonly string[];
  readonly program: readonly string[];
  /** The same for strangers, without a path. */
  readonly publicProgram: readonly string[];
  /** Whether the command runs in the current folder of the server, as with npm. */
  readonly isInSameFolder: boolean;
  /** Whether the command has the environment of the server, as in a container. */
  readonly hasSameEnvironment: boolean;
}

type CommandConfig = Config<'database' | 'durability' | 'allowDataLoss' | 'host' | 'port'> &
  PublicUrlConfig;

/** Stands for a value that a public page must not show. */
const hidden = '…';

export interface StartedServer {
  readonly start: ServerStart;
  readonly config: CommandConfig;
  /** The settings that were given as flags of `serve`. */
  readonly flags: ReadonlySet<string>;
}

/**
 * The command for the sign-in page, which strangers can see. Only a page at a loopback address of a server that listens on no
 * other shows where the data is.
 */
export function createFormatCommand(server: StartedServer): FormatConsoleCommand {
  const listensLocally = isLoopbackHost(server.config.host);
  return ({ isLoopback, port }) => formatConsoleCommand(server, isLoopback && listensLocally, port);
}

/** The command that prints a link to the console of this server. It never has a password. */
export function formatConsoleCommand(
  { start, config, flags }: StartedServer,
  /** Whether it is shown only to users of this machine. */
  isLocal: boolean,
  /** The port of the server, if the system chose it. */
  port: string,
): string {
  const { isInSameFolder, hasSameEnvironment } = start;
  const publicUrl = publicUrlsOf(config)[config.environment];
  const baseUrlName = config.environment === 'production' ? 'baseUrl' : 'stagingBaseUrl';
  const ownPort = config.port === 0 ? port : String(config.port);
  const values: readonly (readonly [SettingName, string | undefined])[] = [
    ['database', describeDatabase(config.database, isLocal, isInSameFolder)],
    ['durability', config.durability],
    ['allowDataLoss', String(config.allowDataLoss)],
    [baseUrlName, publicUrl],
    // Links have the public address, if it is known.
    ['host', publicUrl === undefined && isLocal ? config.host : undefined],
    ['port', publicUrl === undefined ? ownPort : undefined],
  ];
  const options = values.flatMap(([name, value]) => {
    const { flag, default: fallback } = settings[name];
    const isNeeded = hasSameEnvironment ? flags.has(name) : value !== fallback;
    return value === undefined || !isNeeded ? [] : [flagName(flag ?? ''), value];
  });
  const words = isLocal
    ? [...start.where, ...start.program]
    : [...start.publicWhere, ...start.publicProgram];
  return [...words, 'console', ...options].map(quoteWord).join(' ');
}

function isLoopbackHost(host: string): boolean {
  return isLoopback(host.includes(':') ? `[${host}]` : host);
}

/** The database as the command needs it; undefined for the default. */
function describeDatabase(
  database: CommandConfig['database'],
  isLocal: boolean,
  isInSameFolder: boolean,
): string | undefined {
  if (database.engine === 'postgres') {
    return isLocal && !mayHavePassword(database.url) ? database.url : hidden;
  }
  const { path } = database;
  const isDefault = `sqlite:${path}` === settings.database.default;
  if (isDefault && (isInSameFolder || !isLocal)) return undefined;
  if (!isLocal) return hidden;
  return `sqlite:${isInSameFolder ? path : resolve(path)}`;
}

/** A password follows the user, or is a parameter. */
function mayHavePassword(url: string): boolean {
  return /\?|:\/\/[^@]*:[^@]*@/.test(url);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds out how this process was started. */
export function findServerStart(environment: Environment): ServerStart {
  const start = { ...findProgram(environment), hasSameEnvironment: false };
  const container = findContainer(environment);
  if (container !== undefined) return inContainer({ ...start, where: container });
  // systemd sets this for the process that it starts, and not for others.
  const isService = environment.SYSTEMD_EXEC_PID === String(process.pid);
  if (!isService || process.getuid?.() === 0) return { ...start, where: [], publicWhere: [] };
  const runAs = (user: string) => ['runuser', '-u', user, '--'];
  return { ...start, where: runAs(environment.USER ?? hidden), publicWhere: runAs(hidden) };
}

/** For a process in a container, which has the folder and the environment of the server. */
export function inContainer(start: Omit<ServerStart, 'publicWhere'>): ServerStart {
  const where = start.where.length > 0 ? start.where : ['docker', 'exec', hostname()];
  // Container engines make ids of this form. Other names were chosen by people.
  const publicWhere = where.map((word, index) =>
    index === nameIndex && !/^[0-9a-f]{12}$/.test(word) ? hidden : word,
  );
  return { ...start, where, publicWhere, isInSameFolder: true, hasSameEnvironment: true };
}

/** The place of the container's name in the words before its command. */
const nameIndex = 2;

/**
 * The words before a command for the container whose main process this is, or starts; undefined for other processes. A server
 * that was started in a terminal of a container has the commands of that terminal.
 */
function findContainer(environment: Environment): readonly string[] | undefined {
  const { pid, ppid } = process;
  if (pid !== 1 && ppid !== 1) return undefined;
  const name = hostname();
  if (environment.KUBERNETES_SERVICE_HOST !== undefined) return ['kubectl', 'exec', name, '--'];
  if (existsSync('/run/.containerenv')) return ['podman', 'exec', name];
  return pid === 1 || existsSync('/.dockerenv') ? ['docker', 'exec', name] : undefined;
}

type Program = Pick<ServerStart, 'program' | 'publicProgram' | 'isInSameFolder'>;

/** npm runs the program in the folder of the project. */
function findProgram({ npm_package_json: project, npm_command: npmCommand }: Environment): Program {
  const root = join(import.meta.dir, '../..');
  const isExecutable = import.meta.dir.startsWith('/$bunfs/');
  const byNpm = (program: readonly string[]): Program => {
    return { program, publicProgram: program, isInSameFolder: true };
  };
  if (!isExecutable && npmCommand !== undefined) {
    const isSource = project === join(root, 'package.json') && npmCommand !== 'exec';
    return byNpm(isSource ? ['npm', 'run', '-s', 'animal-store', '--'] : ['npx', 'animal-store']);
  }
  const file = isExecutable ? process.execPath : join(root, 'bin/animal-store');
  const found = Bun.which('animal-store');
  const publicProgram = ['animal-store'];
  const program = found !== null && isSameFile(found, file) ? publicProgram : [file];
  return { program, publicProgram, isInSameFolder: false };
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}
