import { createProgram } from './cli/program.ts';
import { runProgram } from './terminal/command-line.ts';
import { endFirstProcessOnSignal } from './terminal/signals.ts';

endFirstProcessOnSignal();
process.exitCode = await runProgram(createProgram(), process.argv.slice(2));
