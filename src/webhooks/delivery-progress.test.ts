import { describe, expect, test } from 'bun:test';
import type { AttemptResult, HeldWebhook } from '../domain/webhook.ts';
import { createProgress } from './delivery-progress.ts';
import type { EventAttempt } from './delivery-state.ts';

const hour = 3_600_000;
const held: HeldWebhook = {
  workspaceId: 1n,
  id: 1n,
  url: 'https://shop.example/hook',
  types: undefined,
  description: undefined,
  status: 'enabled',
  position: 10,
  createdAt: 0,
  readTo: 10,
  failureCount: 0,
  failingSince: undefined,
  retryStep: 0,
  nextAttemptAt: undefined,
  revision: 1,
  dueRetries: [],
  retryCount: 0,
};
const delivered: AttemptResult = { httpStatus: 200, milliseconds: 1 };
const refused: AttemptResult = { httpStatus: 500, milliseconds: 1 };

/** Progress at a time that the test sets. Delays do not vary. */
function start(changes: Partial<HeldWebhook> = {}) {
  const clock = { now: 1_000_000 };
  const progress = createProgress(
    { ...held, ...changes },
    { now: () => clock.now, random: () => 0.5 },
  );
  function begin(sequence: number, changes: Partial<EventAttempt> = {}): EventAttempt {
    const event = { sequence, eventId: `evt_${sequence}_x`, number: 1, at: clock.now };
    const attempt = { ...event, isRetry: false, isProbe: false, ...changes };
    if (!attempt.isRetry) progress.begin(attempt);
    return attempt;
  }
  return { clock, progress, begin };
}

describe('the progress of a webhook', () => {
  test('the position follows delivered events in order, also if a later one ends first', () => {
    const { progress, begin } = start();
    const [first, second] = [begin(11), begin(12)];
    progress.end(second, delivered);
    expect(progress.takeUnsaved().state).toMatchObject({ position: 10, readTo: 10 });
    progress.end(first, delivered);
    expect(progress.takeUnsaved().state).toMatchObject({ position: 12, readTo: 12 });
  });

  test('a rate limit of the endpoint costs no attempt, holds back other events, and makes nothing fail', () => {
    const { progress, begin, clock } = start();
    const busy = { httpStatus: 429, milliseconds: 1, retryAfterSeconds: 2 };
    for (const sequence of [11, 12, 13, 14, 15, 16, 17]) progress.end(begin(sequence), busy);
    expect(progress.isPaused).toBe(true);
    const first = progress.takeUnsaved();
    expect(first.state).toMatchObject({ status: 'enabled', position: 10, readTo: 17 });
    const nextAttemptAt = clock.now + 2200;
    expect(first.retries[0]).toEqual({ sequence: 11, attempt: 1, nextAttemptAt });
    clock.now += 2200;
    expect(progress.isPaused).toBe(false);
    progress.end(begin(11, { number: 10, isRetry: true }), { ...busy, httpStatus: 503 });
    const later = progress.takeUnsaved();
    expect(later.deliveries.map(({ error }) => error)).toEqual([undefined]);
    expect(later.retries).toMatchObject([{ sequence: 11, attempt: 9 }]);
    progress.end(begin(11, { number: 10, isRetry: true }), delivered);
    expect(progress.takeUnsaved().state).toMatchObject({ position: 17, failureCount: 0 });
  });

  test.each([
    ['a wait beyond the next step', { httpStatus: 429, retryAfterSeconds: 6 }, 0],
    ['no wait', { httpStatus: 429 }, 0],
    ['another status', { httpStatus: 500, retryAfterSeconds: 2 }, 0],
    ['an hour without a success', { httpStatus: 429, retryAfterSeconds: 2 }, hour],
  ])('a rate limit with %s is a failure', (_name, result, elapsed) => {
    const { progress, begin, clock } = start();
    progress.end(begin(11), { httpStatus: 429, retryAfterSeconds: 1, milliseconds: 1 });
    clock.now += elapsed;
    for (const sequence of [12, 13, 14, 15, 16]) {
      progress.end(begin(sequence), { milliseconds: 1, ...result });
    }
    expect(progress.takeUnsaved().state.status).toBe('failing');
  });

  test('an event that fails holds the position until another one succeeds, and then has its own retry', () => {
    const { progress, begin, clock } = start();
    progress.end(begin(11), refused);
    const failed = progress.takeUnsaved();
    expect(failed.state).toMatchObject({ position: 10, readTo: 11, failureCount: 1 });
    expect(failed.retries).toEqual([{ sequence: 11, attempt: 1, nextAttemptAt: clock.now + 5000 }]);
    progress.end(begin(12), delivered);
    expect(progress.takeUnsaved().state).toMatchObject({
      position: 12,
      readTo: 12,
      failureCount: 0,
      failingSince: undefined,
    });
  });

  test('a position that was held before a restart is held until a success', () => {
    const { progress, begin } = start({ readTo: 11, failureCount: 1, retryCount: 1 });
    progress.end(begin(12), refused);
    expect(progress.takeUnsaved().state).toMatchObject({ position: 10, readTo: 12 });
    progress.end(begin(11, { isRetry: true, number: 2 }), delivered);
    const { state, endedRetries } = progress.takeUnsaved();
    expect(state).toMatchObject({ position: 12, failureCount: 0 });
    expect(endedRetries).toEqual([11]);
  });

  test('five failures without a success make the endpoint failing, and its events are delivered again from the position', () => {
    const { progress, begin, clock } = start();
    for (const event of [11, 12, 13, 14, 15].map((sequence) => begin(sequence))) {
      progress.end(event, refused);
    }
    const { state, retries, dropsOpenRetries } = progress.takeUnsaved();
    expect(state).toMatchObject({ status: 'failing', position: 10, readTo: 10, failureCount: 5 });
    expect(state.nextAttemptAt).toBe(clock.now + 5000);
    expect([retries, dropsOpenRetries]).toEqual([[], true]);
  });

  test('a probe that fails moves nothing and takes the next step; one that succeeds enables the endpoint', () => {
    const { progress, begin, clock } = start({ status: 'failing', failureCount: 5 });
    progress.end(begin(12, { isProbe: true }), refused);
    const { state } = progress.takeUnsaved();
    expect(state).toMatchObject({ status: 'failing', position: 11, readTo: 11, retryStep: 1 });
    expect(state.nextAttemptAt).toBe(clock.now + 5 * 60_000);
    progress.end(begin(12, { isProbe: true }), delivered);
    expect(progress.takeUnsaved().state).toMatchObject({
      status: 'enabled',
      position: 12,
      retryStep: 0,
      nextAttemptAt: undefined,
    });
  });

  test('a failing endpoint that rejects an event with 500 may get another one; if it accepts that, the rejected event gets a retry', () => {
    const { progress, begin, clock } = start({ status: 'failing', failureCount: 5 });
    const probe = { isProbe: true, number: 2 };
    for (const httpStatus of [undefined, 301, 429, 502, 503, 504]) {
      progress.end(begin(11, probe), { httpStatus, milliseconds: 1 });
      expect([httpStatus, progress.state.isEventRejected]).toEqual([httpStatus, false]);
    }
    progress.end(begin(11, probe), refused);
    expect(progress.state.isEventRejected).toBe(true);
    const { state } = progress.takeUnsaved();
    progress.end(begin(12, { ...probe, passed: [11] }), refused);
    expect(progress.state.isEventRejected).toBe(false);
    // The second probe takes no step.
    expect(progress.takeUnsaved().state).toEqual({ ...state, failureCount: 13 });
    const second = begin(12, { ...probe, passed: [11] });
    expect(progress.takeUnsaved().state).toMatchObject({ position: 10, readTo: 10 });
    progress.end(second, delivered);
    const { state: enabled, retries } = progress.takeUnsaved();
    expect(enabled).toMatchObject({ status: 'enabled', position: 12, readTo: 12 });
    expect(retries).toEqual([{ sequence: 11, attempt: 8, nextAttemptAt: clock.now + 5000 }]);
  });

  test('a failing endpoint without new events is probed with a retry', () => {
    const { progress, begin, clock } = start({ status: 'failing', failureCount: 5, retryCount: 1 });
    const probe = { isRetry: true, isProbe: true, number: 3 };
    progress.end(begin(7, probe), refused);
    const { state, retries } = progress.takeUnsaved();
    expect(state).toMatchObject({ position: 10, retryStep: 1 });
    expect(state.nextAttemptAt).toBe(clock.now + 5 * 60_000);
    expect(retries.map(({ attempt }) => attempt)).toEqual([3]);
    progress.end(begin(7, { ...probe, number: 4 }), delivered);
    expect(progress.takeUnsaved()).toMatchObject({
      state: { status: 'enabled', position: 10 },
      endedRetries: [7],
    });
  });

  test('an attempt that fails after the endpoint became failing takes no step', () => {
    const { progress, begin } = start();
    const all = [11, 12, 13, 14, 15, 16].map((sequence) => begin(sequence));
    for (const event of all.slice(0, 5)) progress.end(event, refused);
    const before = progress.takeUnsaved().state;
    for (const event of all.slice(5)) progress.end(event, refused);
    expect(progress.takeUnsaved().state).toEqual({ ...before, failureCount: 6 });
  });

  test('of the response to a delivered event, 200 characters are kept, and all of it after a failure', () => {
    const { progress, begin } = start();
    const responseExcerpt = '🐈'.repeat(1000);
    progress.end(begin(11), { ...delivered, responseExcerpt });
    progress.end(begin(12), { ...refused, responseExcerpt });
    const excerpts = progress.takeUnsaved().deliveries.map((each) => each.responseExcerpt);
    expect(excerpts).toEqual(['🐈'.repeat(200), responseExcerpt]);
  });

  test('an event that fails after all steps is given up and marked in its delivery', () => {
    const { progress, begin } = start({ retryCount: 1 });
    progress.end(begin(7, { isRetry: true, number: 10 }), refused);
    const { deliveries, endedRetries, state } = progress.takeUnsaved();
    expect(deliveries.map(({ error }) => error)).toEqual(['gave_up']);
    expect(endedRetries).toEqual([7]);
    expect(state.position).toBe(10);
  });

  test('410 disables the endpoint, and a later success of another event does not enable it', () => {
    const { progress, begin } = start();
    const other = begin(11);
    progress.end(begin(12), { httpStatus: 410, milliseconds: 1 });
    expect(progress.takeUnsaved()).toMatchObject({
      state: { status: 'disabled', position: 10 },
      disabled: { reason: 'gone' },
    });
    progress.end(other, delivered);
    expect(progress.takeUnsaved().state.status).toBe('disabled');
  });

  test('five days after a single failure, another one disables nothing', () => {
    const { progress, begin, clock } = start({ failingSince: 1_000_000, failureCount: 1 });
    clock.now += 200 * hour;
    progress.end(begin(11), refused);
    expect(progress.takeUnsaved().state.status).toBe('enabled');
  });

  test('a probe is due at its time, and if that is too far away for a right clock', () => {
    const isDue = (after: number) =>
      start({ status: 'failing', nextAttemptAt: 1_000_000 + after }).progress.isProbeDue;
    expect([0, 1, 30 * hour, 30 * hour + 1].map(isDue)).toEqual([true, false, false, true]);
  });

  test('an event that is delivered again after its attempt failed late ends its retry', () => {
    const { progress, begin } = start();
    const early = begin(11);
    for (const event of [12, 13, 14, 15, 16].map((sequence) => begin(sequence))) {
      progress.end(event, refused);
    }
    expect(progress.takeUnsaved().state).toMatchObject({ status: 'failing', readTo: 10 });
    // The earlier attempt does not end the place of this one.
    const probe = begin(11, { isProbe: true });
    progress.end(early, refused);
    expect(progress.takeUnsaved().state).toMatchObject({ position: 10, readTo: 10 });
    progress.end(probe, delivered);
    const { state, endedRetries } = progress.takeUnsaved();
    expect(state).toMatchObject({ status: 'enabled', position: 11 });
    expect(endedRetries).toEqual([11]);
  });

  test('five days without a success disable the endpoint, counted from the first failure', () => {
    const { progress, begin, clock } = start({
      status: 'failing',
      failingSince: 1_000_000,
      failureCount: 5,
    });
    clock.now += 119 * hour;
    progress.end(begin(11, { isProbe: true }), refused);
    expect(progress.takeUnsaved().state.status).toBe('failing');
    clock.now += hour;
    progress.end(begin(11, { isProbe: true }), refused);
    expect(progress.takeUnsaved()).toMatchObject({
      state: { status: 'disabled', position: 10 },
      disabled: { reason: 'no_success' },
    });
  });

  test('Retry-After extends a step, up to a day', () => {
    const { progress, begin, clock } = start();
    progress.end(begin(11), { ...refused, retryAfterSeconds: 90 });
    progress.end(begin(12), { ...refused, retryAfterSeconds: 1e9 });
    const times = progress.takeUnsaved().retries.map(({ nextAttemptAt }) => nextAttemptAt);
    expect(times).toEqual([clock.now + 90_000, clock.now + 24 * hour]);
  });

  test('more than 1000 events that wait for a retry make the endpoint failing', () => {
    const { progress, begin } = start({ retryCount: 1000 });
    progress.end(begin(11), refused);
    expect(progress.takeUnsaved().state).toMatchObject({ status: 'failing', position: 10 });
  });
});
