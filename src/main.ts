import { runProgram } from './cli/command-line.ts';
import { createProgram } from './cli/program.ts';

process.exitCode = await runProgram(createProgram(), process.argv.slice(2));
