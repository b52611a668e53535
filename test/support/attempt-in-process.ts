import { attempt, outcomeOf } from './webhook-endpoint.ts';

// A process of its own, because a runtime can read its environment when it starts.
const outcomes: unknown[] = [];
for (const url of process.argv.slice(2)) outcomes.push(await outcomeOf(attempt(url)));
console.log(JSON.stringify(outcomes));
