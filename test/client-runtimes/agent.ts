import { z } from 'zod';
import { addPet, type Recipe } from './follow-recipe.ts';

const recordsSchema = z.object({
  result: z.object({
    tools: z.array(z.object({ name: z.string() })).optional(),
    isError: z.boolean().optional(),
    content: z.array(z.object({ text: z.string() })).optional(),
  }),
});

const petCount = 105;

/** Calls the tools as the table for agents describes. */
export async function callAgentTools(recipe: Recipe): Promise<readonly string[]> {
  for (let count = 0; count < petCount; count += 1) await addPet(recipe);
  await using agent = openAgent(recipe);
  const broken: string[] = [];
  const { tools = [] } = await agent.request('tools/list', {});
  if (tools.length < 17 || tools.some(({ name }) => name === 'streamEvents')) {
    broken.push(`the tools are ${tools.map(({ name }) => name)}`);
  }
  const idsOf = (text: string) => [...text.matchAll(/"id":\s*(\d+)/g)].map(([, id]) => Number(id));
  const newest = await agent.call('listPets', { limit: 100 });
  const lowest = Math.min(...idsOf(newest));
  const older = Array.from({ length: lowest - 1 }, (_, index) => lowest - 1 - index);
  const rest = await agent.call('listPets', { id: older.slice(0, 100), limit: 100 });
  const found = new Set([...idsOf(newest), ...idsOf(rest)]);
  if (found.size !== petCount) broken.push(`${found.size} of ${petCount} animals listed`);
  if (!newest.includes('9223372036854775807')) broken.push('digits of a categoryId are lost');

  const page = await agent.call('listEvents', { limit: 100 });
  const after = String(Math.max(...sequencesOf(page)));
  const next = sequencesOf(await agent.call('listEvents', { after, limit: 100 }));
  if (`${next}` !== '101,102,103,104,105') broken.push(`after ${after} came ${next}`);
  const refusal = await agent.call('createOrder', { petId: 404 });
  if (!refusal.includes('There is no animal 404')) broken.push(`an error shows ${refusal}`);
  return broken;
}

const sequencesOf = (text: string) =>
  [...text.matchAll(/"sequence":\s*(\d+)/g)].map(([, sequence]) => Number(sequence));

/** A client of the Model Context Protocol: one JSON text on each line of standard input and output. */
function openAgent({ folder, environment }: Recipe) {
  const child = Bun.spawn(['venv/bin/python', 'recipe.py'], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const lines = linesOf(child.stdout);
  let lastId = 0;
  const send = (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    child.stdin.flush();
  };
  async function request(method: string, params: object) {
    lastId += 1;
    send({ id: lastId, method, params });
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('The MCP server ended');
      if (JSON.parse(value).id === lastId) return recordsSchema.parse(JSON.parse(value)).result;
    }
  }
  const version = { protocolVersion: '2025-06-18', capabilities: {} };
  const ready = request('initialize', { ...version, clientInfo: { name: 'test', version: '1' } });
  const started = ready.then(() => send({ method: 'notifications/initialized' }));
  return {
    async request(method: string, params: object) {
      await started;
      return request(method, params);
    },
    /** Returns the text of the body or of the error. */
    async call(name: string, toolArguments: object): Promise<string> {
      const { content = [] } = await this.request('tools/call', { name, arguments: toolArguments });
      return content.map(({ text }) => text).join('');
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of stream) {
    const parts = (text + decoder.decode(part, { stream: true })).split('\n');
    text = parts.pop() ?? '';
    yield* parts;
  }
}
