// A plain, careful service of the usual kind: Fastify, better-sqlite3, one commit a request.
// The three operations, the key check, the keyset pages and the durability are those of the Animal Store
// Service; what it lacks (workspaces, exact 64-bit integers, strict mode, request ids, …) makes it faster.
//
// usage: node fastify-better-sqlite3.mjs PORT DATABASE ANIMALS.json, with the key in API_KEY

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import Fastify from 'fastify';

const [port, databasePath, animalsPath] = process.argv.slice(2);

const database = new Sqlite(databasePath);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec(`
  CREATE TABLE pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, categoryId INTEGER NOT NULL, status TEXT NOT NULL
  ) STRICT;
  CREATE INDEX pets_by_status ON pets (status, id)`);
const insert = database.prepare('INSERT INTO pets (name, categoryId, status) VALUES (?, ?, ?)');
const page = database.prepare('SELECT * FROM pets WHERE id < ? ORDER BY id DESC LIMIT ?');
const pageByStatus = database.prepare(
  'SELECT * FROM pets WHERE id < ? AND status = ? ORDER BY id DESC LIMIT ?',
);
const one = database.prepare('SELECT * FROM pets WHERE id = ?');

database.transaction(() => {
  for (const { name, categoryId, status } of JSON.parse(readFileSync(animalsPath, 'utf8')).pets) {
    insert.run(name, categoryId, status);
  }
})();

// Only the digests of keys are kept, in memory.
const apiKeyDigests = new Set([digest(process.env.API_KEY)]);

const status = { type: 'string', enum: ['available', 'pending', 'sold'] };
const newPet = {
  name: { type: 'string', minLength: 1, maxLength: 255 },
  categoryId: { type: 'integer' },
  status,
};
const pet = { type: 'object', properties: { id: { type: 'integer' }, ...newPet } };
const querystring = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: 'integer', minimum: 1, default: Number.MAX_SAFE_INTEGER },
  },
};
const body = { type: 'object', required: ['name', 'categoryId'], properties: newPet };

const app = Fastify({ logger: false });

app.addHook('onRequest', async (request, reply) => {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined || !apiKeyDigests.has(digest(token))) {
    return reply.code(401).send({ code: 'invalid_api_key', message: 'No valid key', status: 401 });
  }
});

app.get(
  '/v1/pets',
  { schema: { querystring, response: { 200: { type: 'array', items: pet } } } },
  async (request, reply) => {
    const { limit, status, cursor } = request.query;
    const rows =
      status === undefined
        ? page.all(cursor, limit + 1)
        : pageByStatus.all(cursor, status, limit + 1);
    if (rows.length > limit) {
      rows.pop();
      const filter = status === undefined ? '' : `&status=${status}`;
      reply.header(
        'link',
        `</v1/pets?limit=${limit}${filter}&cursor=${rows[limit - 1].id}>; rel="next"`,
      );
    }
    return rows;
  },
);

app.get('/v1/pets/:petId', { schema: { response: { 200: pet } } }, async (request, reply) => {
  const found = one.get(Number(request.params.petId));
  return (
    found ?? reply.code(404).send({ code: 'not_found', message: 'No such animal', status: 404 })
  );
});

app.post('/v1/pets', { schema: { body, response: { 201: pet } } }, async (request, reply) => {
  const { name, categoryId, status = 'available' } = request.body;
  const id = insert.run(name, categoryId, status).lastInsertRowid;
  return reply
    .code(201)
    .header('location', `/v1/pets/${id}`)
    .send({ id, name, categoryId, status });
});

await app.listen({ host: '127.0.0.1', port: Number(port) });

function digest(text) {
  return hash('sha256', text, 'hex');
}
