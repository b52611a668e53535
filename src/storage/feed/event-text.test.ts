import { expect, test } from 'bun:test';
import { type EventType, eventTypes } from '../../domain/event.ts';
import { formatEvent, isIntact } from './event-text.ts';

const row = {
  workspaceId: 1n,
  sequence: 1042n,
  type: 'pet.updated',
  recordId: 7n,
  at: Date.UTC(2026, 10, 21, 13, 33, 5, 123),
  // From docs/decisions/events.md. Another program computed the digest. It must never change.
  json: '{"id":"evt_1042_cBQGRuhJ","sequence":1042,"type":"pet.updated","timestamp":"2026-11-21T13:33:05.123Z","requestId":"r-7f3a","actor":"key:3","data":{"id":7,"name":"Rex","categoryId":9223372036854775807,"status":"sold"},"previous":{"status":"pending"}}',
};

test('the id of an event ends in the digest that docs/decisions/events.md describes', () => {
  const { recordId, at, workspaceId, sequence } = row;
  const data = {
    id: 7,
    name: 'Rex',
    categoryId: JSON.rawJSON('9223372036854775807'),
    status: 'sold',
  };
  const by = { requestId: 'r-7f3a', actor: 'key:3' } as const;
  const event = { type: 'pet.updated', at, ...by, recordId, data } as const;
  const previous = { status: 'pending' };
  expect(formatEvent({ ...event, previous }, workspaceId, sequence)).toBe(row.json);
  expect(isIntact(row)).toBe(true);
});

test('an event is not intact if one bit of its text or of its other columns is changed', () => {
  const bytes = Buffer.from(row.json);
  for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(isIntact({ ...row, json: changed.toString() })).toBe(false);
  }
  for (const change of [
    { workspaceId: 2n },
    { sequence: 1043n },
    { sequence: 104n },
    { type: 'pet.created' },
    { type: '' },
    { recordId: 0n },
    { recordId: 77n },
    { at: row.at + 1 },
    { at: Number.MAX_SAFE_INTEGER },
    { json: '' },
  ]) {
    expect(isIntact({ ...row, ...change })).toBe(false);
  }
});

test('an order is never removed, so no event type exists for it', () => {
  // @ts-expect-error The kind does not declare the type.
  const removed: EventType = 'order.deleted';
  expect(eventTypes).not.toContain(removed);
});
