import { afterEach, expect, test } from 'bun:test';
import { dayOf, hasPassed, membersOf } from './order-draft.ts';

const { TZ = 'UTC' } = process.env;
afterEach(() => {
  process.env.TZ = TZ;
});

test.each(['UTC', 'Europe/Berlin', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
  'a chosen day is the same day in %s, and overdue when it has ended there',
  (zone) => {
    process.env.TZ = zone;
    const { shipDate = '' } = membersOf({ note: '', until: '2099-12-24' });
    expect(shipDate).toBe('2099-12-24T12:00:00Z');
    expect(dayOf(shipDate)).toBe('2099-12-24');
    expect(hasPassed(shipDate, new Date('2099-12-24T23:59:59').getTime())).toBe(false);
    expect(hasPassed(shipDate, new Date('2099-12-25T00:00:01').getTime())).toBe(true);
  },
);

test('a day that an earlier version stored is the day in the zone of the browser', () => {
  process.env.TZ = 'Europe/Berlin';
  expect(dayOf('2026-11-27T22:59:59.999Z')).toBe('2026-11-27');
});
