import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { misused } from './cli-failure.ts';

/** @throws CliFailure if a question is necessary and cannot be asked. */
export function requireTerminal(yes: boolean | undefined): void {
  if (yes === undefined && !process.stdin.isTTY)
    throw misused('stdin is not a terminal; pass --yes');
}

/** Asks on the terminal. Returns whether the user typed exactly `answer`. */
export async function confirm(question: string, answer: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await readAnswer(prompt, question);
  // Ctrl-C and Ctrl-D also mean no, and leave the line unfinished.
  if (typed === undefined) process.stderr.write('\n');
  return typed === answer;
}

/** Asks on the terminal for a text that is not shown. Returns undefined after Ctrl-C or Ctrl-D. */
export async function askSecret(question: string): Promise<string | undefined> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  // From now on the terminal does not show what is typed.
  const prompt = createInterface({ input: process.stdin, output, terminal: true });
  process.stderr.write(question);
  const typed = await readAnswer(prompt, '');
  process.stderr.write('\n');
  return typed;
}

async function readAnswer(prompt: Interface, question: string): Promise<string | undefined> {
  try {
    return (await prompt.question(question)).trim();
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return undefined;
    throw error;
  } finally {
    prompt.close();
  }
}
