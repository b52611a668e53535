// Generates docs/reference.md, docs/errors.md and docs/metrics.md from the declarations of commands, settings, errors, metrics and
// alerts. The text around their tables is in scripts/docs.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { parse } from 'yaml';
import { createProgram } from '../src/cli/program.ts';
import { errorHttpStatus } from '../src/http/failure.ts';
import { errorAdvice, errorMeanings } from '../src/http/openapi/errors.ts';
import { flagName, settings } from '../src/ops/config.ts';
import { metricMeanings } from '../src/ops/metrics.ts';

const root = join(import.meta.dir, '..');

/** The pages about commands, in docs. */
const guides: Readonly<Record<string, string>> = {
  serve: 'deploy/README.md',
  console: 'console.md',
  'keys create': 'decisions/keys-and-workspaces.md',
  'keys rotate': 'decisions/keys-and-workspaces.md#the-end-of-a-key',
  'workspaces create': 'decisions/keys-and-workspaces.md#a-workspace-is-a-separate-catalogue',
  'sessions list': 'operations.md#sessions-of-the-console',
  'webhooks list': 'operations.md#webhooks-of-copied-and-restored-data',
  'deprecated-calls': 'decisions/end-of-get-pet.md',
  events: 'leaked-key.md',
  audit: 'operations.md#the-audit-trail',
  copy: 'operations.md#moving-the-data',
  backup: 'operations.md#backups-of-sqlite',
  restore: 'operations.md#backups-in-a-folder',
  verify: 'operations.md#checking-the-data',
  migrate: 'deploy/README.md#upgrades',
  'accept-restored': 'operations.md#backups-of-postgresql',
  listen: 'webhooks.md#receive-events-on-your-machine-in-two-minutes',
  openapi: 'clients.md',
};

/** A command that runs, such as `keys create`. */
interface ProgramCommand {
  readonly name: string;
  /** With its arguments, such as `keys rotate <id>`. */
  readonly usage: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  readonly options: readonly Option[];
}

/** Every command of the program, in the order of its help. */
export function programCommands(): readonly ProgramCommand[] {
  return createProgram().commands.flatMap((command) => runnableCommands(command, ''));
}

function runnableCommands(command: Command, before: string): ProgramCommand[] {
  const name = `${before}${command.name()}`;
  if (command.commands.length > 0) {
    return command.commands.flatMap((each) => runnableCommands(each, `${name} `));
  }
  const { registeredArguments, options } = command;
  const usage = [name, ...registeredArguments.map(nameArgument)].join(' ');
  return [
    { name, usage, description: command.description(), arguments: registeredArguments, options },
  ];
}

function nameArgument(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, headings.map(() => '---'), ...rows].map((cells) =>
    cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | '),
  );
  return lines.map((line) => `| ${line} |`).join('\n');
}

const code = (text: string | undefined) => (text ? `\`${text}\`` : '');

/** The exit codes, as the help has them. */
function readExitCodes(): string {
  let help = '';
  createProgram()
    .configureOutput({ writeOut: (text) => (help += text) })
    .outputHelp();
  return /^Exit codes: .*$/m.exec(help)?.[0] ?? '';
}

function tableOfCommands(): string {
  const rows = programCommands().map(({ usage, description }) => {
    const anchor = usage.replaceAll(/[^\w -]/g, '').replaceAll(' ', '-');
    return [`[${code(usage)}](#${anchor})`, description];
  });
  return table(['Command', ''], rows);
}

/** A section for each command, with its own options described, and the settings that it takes named. */
function sectionsOfOptions(): string {
  return programCommands()
    .map(({ name, usage, arguments: values, options }) => {
      const isSetting = ({ description }: Option) => description.includes('(env: ');
      const rows = [
        ...values.map((value) => [code(nameArgument(value)), value.description]),
        ...options
          .filter((option) => !isSetting(option))
          .map((option) => [code(option.flags), describeOption(option)]),
      ];
      const taken = options.filter(isSetting).map(({ long }) => code(long ?? ''));
      const guide = guides[name];
      return [
        `### ${code(usage)}`,
        ...(rows.length === 0 ? [] : [table(['Argument or option', ''], rows)]),
        ...(taken.length === 0 ? [] : [`[Settings](#settings): ${taken.join(' ')}`]),
        ...(guide === undefined ? [] : [`See [${guide.replace(/#.*/, '')}](${guide}).`]),
      ].join('\n\n');
    })
    .join('\n\n');
}

function describeOption({ description, defaultValue }: Option): string {
  return defaultValue === undefined
    ? description
    : `${description} (default: ${code(`${defaultValue}`)})`;
}

function tableOfSettings(): string {
  const rows = Object.values(settings).map(({ flag, variable, default: fallback, description }) => [
    code(flag && flagName(flag)),
    code(variable),
    code(fallback),
    description,
  ]);
  return table(['Flag', 'Variable', 'Default', ''], rows);
}

function tableOfErrors(): string {
  const meanings: Readonly<Record<string, string>> = errorMeanings;
  const advice: Readonly<Record<string, string>> = errorAdvice;
  const rows = Object.entries(errorHttpStatus).map(([name, httpStatus]) => [
    `${httpStatus}`,
    code(name),
    meanings[name] ?? '',
    advice[name] ?? '',
  ]);
  return table(['HTTP', 'code', 'when', 'what to do'], rows);
}

function tableOfMetrics(): string {
  const metrics = Object.entries(metricMeanings).flatMap(([type, meanings]) =>
    Object.entries(meanings).map(([name, meaning]) => ({ name, type, meaning })),
  );
  metrics.sort((a, b) => (a.name < b.name ? -1 : 1));
  return table(
    ['Metric', 'Kind', 'Meaning'],
    metrics.map(({ name, type, meaning }) => [code(name), type, meaning]),
  );
}

interface Alert {
  readonly alert: string;
  readonly annotations: { readonly description: string };
}

function tableOfAlerts(): string {
  const [{ rules }] = parse(readFileSync(join(root, 'docs/monitoring/alerts.yaml'), 'utf8')).groups;
  const rows = rules.map(({ alert, annotations }: Alert) => [
    code(alert),
    annotations.description.replaceAll(/docs\/([\w/.#-]+)/g, '[$1]($1)'),
  ]);
  return table(['Alert', 'What to do'], rows);
}

const parts: Readonly<Record<string, () => string>> = {
  exitCodes: readExitCodes,
  commands: tableOfCommands,
  settings: tableOfSettings,
  options: sectionsOfOptions,
  errors: tableOfErrors,
  metrics: tableOfMetrics,
  alerts: tableOfAlerts,
};

export const generatedPages = ['reference.md', 'errors.md', 'metrics.md'] as const;

export function generatePage(name: (typeof generatedPages)[number]): string {
  const text = readFileSync(join(import.meta.dir, 'docs', name), 'utf8');
  const page = text.replaceAll(/^\{\{(\w+)\}\}$/gm, (mark, part) => parts[part]?.() ?? mark);
  return `<!-- Generated by \`npm run docs\` from the sources and scripts/docs/${name}. Do not edit. -->\n\n${page}`;
}

if (import.meta.main) {
  for (const name of generatedPages) await Bun.write(join(root, 'docs', name), generatePage(name));
}
