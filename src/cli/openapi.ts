import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { CliFailure } from '../terminal/cli-failure.ts';
import { checkCurrentFolder } from '../terminal/current-folder.ts';

/** The servers in the committed document: two servers on one machine. */
const exampleServers = [
  { url: 'http://127.0.0.1:8080/v1', environment: 'production' },
  { url: 'http://127.0.0.1:8081/v1', environment: 'staging' },
] as const;

export function addOpenapiCommand(program: Command): void {
  program
    .command('openapi')
    .description('Write the OpenAPI document of the service.')
    .argument('[file]', 'output file (default: standard output)')
    .action(async (file: string | undefined) => {
      if (file !== undefined) checkCurrentFolder(file);
      const text = await publishedDocument();
      if (file === undefined) process.stdout.write(`${text.trimEnd()}\n`);
      else write(file, text);
    });
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CliFailure(
      `${file} cannot be written: ${error instanceof Error ? error.message : error}`,
    );
  }
}

export async function publishedDocument(): Promise<string> {
  // Loaded when it is used, because it would delay the start of every command.
  const { describeOperations } = await import('../http/openapi/openapi.ts');
  const { operations } = await import('../http/operations.ts');
  return describeOperations(operations).toYaml(exampleServers);
}
