import { runIn } from './run-in.ts';

/** Returns the reason why no environment of Python can be made here. `minor` is the oldest version that will do. */
export function pythonIsMissing(minor = 10): string | undefined {
  const program = `import ensurepip, sys, venv; sys.exit(sys.version_info < (3, ${minor}))`;
  const found = Bun.which('python3') !== null && Bun.spawnSync(['python3', '-c', program]).success;
  return found ? undefined : `needs Python 3.${minor} with venv`;
}

/** Installs packages of PyPI into an environment `venv` in a folder. Returns what failed. */
export async function installPython(
  folder: string,
  ...packages: readonly string[]
): Promise<string | undefined> {
  const pip = ['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check'];
  for (const command of [
    ['python3', '-m', 'venv', 'venv'],
    [...pip, ...packages],
  ]) {
    const { exitCode, text } = await runIn(folder, command);
    if (exitCode !== 0) return `${command.slice(0, 3).join(' ')}: ${text.trim()}`;
  }
  return undefined;
}
