import { createProgram } from './cli/program.ts';
import { runProgram } from './terminal/command-line.ts';

process.exitCode = await runProgram(createProgram(), process.argv.slice(2));
