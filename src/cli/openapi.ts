import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { documentYaml } from '../http/openapi.ts';
import { print } from './print.ts';

/** What the committed document shows: the addresses of two runs on one machine. */
const exampleServers = [
  { url: 'http://127.0.0.1:8080/v1', environment: 'production' },
  { url: 'http://127.0.0.1:8081/v1', environment: 'staging' },
] as const;

export function addOpenapiCommand(program: Command): void {
  program
    .command('openapi')
    .description('Write the published contract, as generated from the operations.')
    .argument('[file]', 'where to write it (default: standard output)')
    .action((file: string | undefined) => {
      const text = publishedDocument();
      if (file === undefined) print(text.trimEnd());
      else writeFileSync(file, text);
    });
}

export function publishedDocument(): string {
  return documentYaml(exampleServers);
}
