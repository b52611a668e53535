import type { LongTest, TestOutcome } from '../faults/long-test.ts';
import { pythonIsMissing } from '../support/python.ts';
import { callAgentTools } from './agent.ts';
import { addPet, followRecipe, type Recipe, run } from './follow-recipe.ts';
import { verifyInPython } from './python-webhooks.ts';

export const recipes: readonly LongTest[] = [
  {
    name: 'recipes',
    title: 'npm recipes of docs/clients.md',
    run: async () => ({
      figures: ['openapi-typescript, hey-api and Postman work'],
      // Most of the time is spent in installations, which can run at the same time.
      broken: (
        await Promise.all([
          followRecipe('TypeScript: openapi-typescript', readWithTypes),
          followRecipe('Streams: hey-api', readStream),
          followRecipe('Postman', sendCollection),
        ])
      ).flat(),
    }),
  },
  {
    name: 'agents',
    title: 'the recipe for agents in docs/clients.md',
    missing: pythonIsMissing,
    async run(): Promise<TestOutcome> {
      const broken = await followRecipe('Agents: MCP', callAgentTools);
      return { figures: ['tools list, write and follow events'], broken };
    },
  },
  {
    name: 'python-webhooks',
    title: 'deliveries in Python',
    missing: pythonIsMissing,
    run: async () => ({
      figures: ['accepted with both secrets of a rotation, refused if changed or old'],
      broken: await verifyInPython(),
    }),
  },
];

/** The program compiles strictly, reads the code of an error, and keeps all digits. */
async function readWithTypes(recipe: Recipe): Promise<readonly string[]> {
  await addPet(recipe);
  await run(recipe, ['npx', 'tsc']);
  const text = await run(recipe, [process.execPath, 'recipe.ts']);
  const expected = ['not_found There is no animal 404\n', '"categoryId":9223372036854775807,'];
  return expected.filter((part) => !text.includes(part)).map((part) => `no ${part} in ${text}`);
}

/** The program compiles strictly, and prints an event while the stream is open. */
async function readStream(recipe: Recipe): Promise<readonly string[]> {
  await run(recipe, ['npx', 'tsc']);
  const child = Bun.spawn([process.execPath, 'recipe.ts'], {
    cwd: recipe.folder,
    env: { ...process.env, ...recipe.environment },
    stdout: 'pipe',
  });
  const shown = new Response(child.stdout).body?.getReader();
  // The stream begins at an unknown moment, so this adds animals until an event is printed.
  const first = shown?.read();
  let isShown = false;
  first?.finally(() => {
    isShown = true;
  });
  for (let count = 0; !isShown && count < 20_000; count += 1) await addPet(recipe);
  child.kill();
  const text = Buffer.from((await first)?.value ?? []).toString();
  return text.startsWith('{"id":"evt_') ? [] : [`no event but ${text}`];
}

/**
 * The service must understand each request of the collection. 400, 422 and 5xx would be a fault of the document. The first key does
 * not manage webhooks.
 */
async function sendCollection(recipe: Recipe): Promise<readonly string[]> {
  await run(recipe, ['npm', 'install', '--no-audit', '--no-fund', 'newman@6.2.2']);
  await addPet(recipe);
  const key = `bearerToken=${recipe.environment.KEY}`;
  const options = ['--env-var', key, '--timeout-request', '3000', '--suppress-exit-code'];
  const text = await run(recipe, ['npx', 'newman', 'run', 'animal-store.json', ...options]);
  const statuses = [...text.matchAll(/\[(\d{3}) /g)].map(([, status]) => Number(status));
  const wrong = statuses.filter((status) => ![200, 201, 204, 403, 404, 409].includes(status));
  return statuses.length > 15 && wrong.length === 0 ? [] : [`the answers were ${statuses}`];
}
