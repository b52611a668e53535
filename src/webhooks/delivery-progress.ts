import {
  type AttemptResult,
  type HeldWebhook,
  isDelivered,
  isTimeDue,
  type WebhookDisabling,
} from '../domain/webhook.ts';
import {
  type EventAttempt,
  endRetry,
  holdPosition,
  type State,
  takeUnsaved,
  toState,
} from './delivery-state.ts';
import { attemptsMax, retryDelay, throttleDelay } from './retry-steps.ts';

/** So many failures without a success between them make an endpoint `failing`. */
const failuresMax = 5;

/** An endpoint with more events that wait for a retry is `failing`. */
const retriesMax = 1000;

/** How long an endpoint without a success may limit its rate, before such answers count as failures. */
const throttledMillisecondsMax = 3_600_000;

/** How long a rate limit holds back the other events, which would get the same answer. */
const pauseMillisecondsMax = 10_000;

const silenceMillisecondsMax = 5 * 24 * 3_600_000;

interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 0 to 1. */
  readonly random: () => number;
}

/** Successes are many, and the endpoint chooses the length of their text. */
const successExcerptLengthMax = 200;

function storedExcerpt(result: AttemptResult): string | undefined {
  const { responseExcerpt } = result;
  if (responseExcerpt === undefined || !isDelivered(result)) return responseExcerpt;
  return [...responseExcerpt].slice(0, successExcerptLengthMax).join('');
}

/** The event has at least one more attempt, soon, because the endpoint works again. */
function retryPassed(state: State, sequence: number, attempts: number, { now, random }: Clock) {
  const attempt = Math.min(attempts, attemptsMax - 1);
  const nextAttemptAt = now() + retryDelay(1, random, undefined);
  state.retries.set(sequence, { sequence, attempt, nextAttemptAt });
  state.retryCount += 1;
}

/** Answers of an endpoint, or of a proxy in front of it, that takes no event now. */
const overloadStatuses = [429, 502, 503, 504];

function canBeDueToEvent({ httpStatus = 0 }: AttemptResult): boolean {
  return httpStatus >= 400 && !overloadStatuses.includes(httpStatus);
}

function planRetry(state: State, { sequence, number }: EventAttempt, nextAttemptAt: number): void {
  if (number >= attemptsMax) endRetry(state, sequence);
  else state.retries.set(sequence, { sequence, attempt: number, nextAttemptAt });
}

function disable(state: State, reason: WebhookDisabling): void {
  state.status = 'disabled';
  state.nextAttemptAt = undefined;
  state.disabled = reason;
  holdPosition(state);
}

function countSuccess(state: State, event: EventAttempt, clock: Clock): void {
  const { sequence, isRetry, passed = [] } = event;
  // An event without a retry has one too if an attempt failed that another server or an earlier lease began.
  if (isRetry || state.retries.get(sequence) !== undefined) endRetry(state, sequence);
  else state.retries.set(sequence, undefined);
  // The endpoint answered 410 to another event.
  if (state.status === 'disabled') return;
  // The probe of the rejected event was the last of these attempts.
  for (const rejected of passed) retryPassed(state, rejected, state.retryStep + 1, clock);
  state.status = 'enabled';
  state.failureCount = 0;
  state.failingSince = undefined;
  state.retryStep = 0;
  state.nextAttemptAt = undefined;
  state.blockedFrom = undefined;
}

/** The endpoint will take the event later. That costs no attempt. */
function throttle(state: State, event: EventAttempt, at: number, delay: number): void {
  const { sequence, number, isRetry, isProbe } = event;
  state.pausedUntil = at + Math.min(delay, pauseMillisecondsMax);
  if (isProbe) {
    state.nextAttemptAt = at + delay;
    holdPosition(state);
  } else if (isRetry || state.status === 'enabled') {
    if (!isRetry) state.retryCount += 1;
    const retry = { sequence, attempt: Math.max(1, number - 1), nextAttemptAt: at + delay };
    state.retries.set(sequence, retry);
  }
}

function countFailure(
  state: State,
  event: EventAttempt,
  result: AttemptResult,
  { now, random }: Clock,
): void {
  if (state.status === 'disabled') return;
  const { sequence, number, isRetry, isProbe, passed } = event;
  const { httpStatus, retryAfterSeconds } = result;
  const at = now();
  const nextAfter = (failures: number) => at + retryDelay(failures, random, retryAfterSeconds);
  state.failingSince ??= event.at;
  if (!isRetry) state.blockedFrom = Math.min(state.blockedFrom ?? sequence, sequence);
  const delay = throttleDelay(result, isProbe ? state.retryStep + 2 : number, random);
  if (delay !== undefined && Math.abs(at - state.failingSince) < throttledMillisecondsMax) {
    throttle(state, event, at, delay);
    return;
  }
  state.failureCount += 1;
  if (isRetry) planRetry(state, event, nextAfter(number));
  if (httpStatus === 410) disable(state, { reason: 'gone' });
  else if (
    at - state.failingSince >= silenceMillisecondsMax &&
    // One failure before the clock was set, or before a long pause of the server, shows nothing.
    state.failureCount >= failuresMax
  ) {
    disable(state, { reason: 'no_success' });
  } else if (isProbe) {
    if (passed === undefined) {
      state.retryStep += 1;
      state.nextAttemptAt = nextAfter(state.retryStep + 1);
    }
    state.isEventRejected = passed === undefined && canBeDueToEvent(result);
    holdPosition(state);
  } else if (state.status === 'enabled') {
    if (!isRetry) {
      state.retryCount += 1;
      planRetry(state, event, nextAfter(number));
    }
    if (state.failureCount < failuresMax && state.retryCount <= retriesMax) return;
    state.status = 'failing';
    state.retryStep = 0;
    state.nextAttemptAt = nextAfter(1);
    holdPosition(state);
  }
}

/**
 * The rules of delivery to one endpoint. An event that fails gets a retry with its own steps. It holds the position until another
 * event succeeds. A failing endpoint gets only probes with the first event after its position. If it rejects that event, one that it
 * never got is tried too, so that a bad event cannot block the others.
 */
export function createProgress(held: HeldWebhook, clock: Clock) {
  const state = toState(held);
  const seen: Readonly<State> = state;
  return {
    state: seen,
    /** The number of the next attempt at an event that has no retry. */
    get firstNumber() {
      return state.status === 'failing' ? state.retryStep + 2 : 1;
    },
    /** Whether the endpoint asked for no more events, a moment ago. */
    get isPaused() {
      const left = state.pausedUntil - clock.now();
      return left > 0 && left <= pauseMillisecondsMax;
    },
    get isProbeDue() {
      const { status, nextAttemptAt } = state;
      const isTime = nextAttemptAt === undefined || isTimeDue(nextAttemptAt, clock.now());
      return status === 'failing' && isTime;
    },
    /** Whether the stored retry of an event is not up to date. */
    isUnsaved(sequence: number): boolean {
      return state.retries.has(sequence);
    },
    /** An event without a retry is being delivered. */
    begin(event: EventAttempt): void {
      state.isEventRejected = false;
      state.inFlight.add(event);
      state.readTo = event.sequence;
    },
    /** Events up to this sequence are not for this webhook, or have begun. */
    skipTo(sequence: number): void {
      state.readTo = Math.max(state.readTo, sequence);
    },
    end(event: EventAttempt, result: AttemptResult): void {
      const { eventId, number: attempt, at, isRetry } = event;
      const { httpStatus, milliseconds } = result;
      if (isDelivered(result)) countSuccess(state, event, clock);
      else countFailure(state, event, result, clock);
      const isLast = !isDelivered(result) && isRetry && attempt >= attemptsMax;
      const hasGivenUp = isLast && state.retries.get(event.sequence) === undefined;
      const error = hasGivenUp ? 'gave_up' : result.error;
      const responseExcerpt = storedExcerpt(result);
      const delivery = { eventId, at, attempt, httpStatus, error, milliseconds, responseExcerpt };
      state.deliveries.push(delivery);
      state.inFlight.delete(event);
    },
    /** The event of a retry is no longer stored. */
    endRetry: (sequence: number) => endRetry(state, sequence),
    disable: (reason: WebhookDisabling) => disable(state, reason),
    takeUnsaved: () => takeUnsaved(state),
  };
}

export type Progress = ReturnType<typeof createProgress>;
