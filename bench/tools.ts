import { readFileSync } from 'node:fs';
import { arch, platform } from 'node:process';

/** Programs of the machine that the benchmark uses, and the Debian package that brings each. */
const packages = { wrk: 'wrk', nginx: 'nginx-light', cc: 'gcc', npm: 'npm' } as const;

export type Tool = keyof typeof packages;

const needs: Readonly<Record<Tool, string>> = {
  wrk: 'every measurement under load',
  nginx: 'the comparison with a static file',
  cc: 'reads beside a slow flush',
  npm: 'the comparison with json-server, Prism and Fastify',
};

export interface Tools {
  has(tool: Tool): boolean;
  /** A sentence for each tool that is missing. */
  readonly missing: readonly string[];
}

export function findTools(): Tools {
  // nginx lies where only the PATH of root leads.
  const path = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin`;
  process.env.PATH = path;
  const names = Object.keys(packages) as Tool[];
  const found = new Set(names.filter((tool) => Bun.which(tool, { PATH: path }) !== null));
  return {
    has: (tool) => found.has(tool),
    missing: names
      .filter((tool) => !found.has(tool))
      .map(
        (tool) =>
          `This machine has no ${tool} (Debian: ${packages[tool]}), so there is not: ${needs[tool]}.`,
      ),
  };
}

/** Which cores the parts of a measurement run on. Undefined leaves the choice to the kernel. */
export interface Pinning {
  readonly server: string | undefined;
  readonly load: string | undefined;
  readonly both: string | undefined;
}

/** The server gets one core to itself and the load another, of those that this process may use. */
export function choosePinning(): Pinning {
  const status = readFileSync('/proc/self/status', 'utf8');
  const list = /^Cpus_allowed_list:\s+(\S+)$/m.exec(status)?.[1] ?? '';
  const [server, load] = list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => `${first + index}`);
  });
  return server === undefined || load === undefined || Bun.which('taskset') === null
    ? { server: undefined, load: undefined, both: undefined }
    : { server, load, both: `${server},${load}` };
}

/** Processor times are read from /proc, which only Linux has. */
export function isSupportedPlatform(): boolean {
  return platform === 'linux' && (arch === 'x64' || arch === 'arm64');
}
