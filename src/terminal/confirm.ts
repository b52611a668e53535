import { createInterface } from 'node:readline/promises';

/** Asks on the terminal. Returns whether the user typed exactly `answer`. */
export async function confirm(question: string, answer: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await prompt.question(question)).trim() === answer;
  } catch (error) {
    // Ctrl-C and Ctrl-D also mean no, and leave the line unfinished.
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    process.stderr.write('\n');
    return false;
  } finally {
    prompt.close();
  }
}
