import type { CommandInput } from '../domain/database/command-writer.ts';
import {
  type AttemptResult,
  type DeliveryState,
  type EventRetry,
  type HeldWebhook,
  isDelivered,
  isTimeDue,
  type NewDelivery,
  type WebhookDisabling,
} from '../domain/webhook.ts';
import { attemptsMax, retryDelay } from './retry-steps.ts';

/** So many failures without a success between them make an endpoint `failing`. */
const failuresMax = 5;

/** An endpoint with more events that wait for a retry is `failing`. */
const retriesMax = 1000;

const silenceMillisecondsMax = 5 * 24 * 3_600_000;

/** An attempt to deliver one event. */
export interface EventAttempt {
  readonly sequence: number;
  readonly eventId: string;
  /** From 1. */
  readonly attempt: number;
  /** Whether the event failed before and has a stored retry. */
  readonly isRetry: boolean;
  /** Whether the endpoint is failing, and this is its only attempt. */
  readonly isProbe: boolean;
  /** The events before it that the endpoint rejected, if this is a second probe after that. */
  readonly passed?: readonly number[] | undefined;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
}

/** What changed since the last record. */
export type ProgressRecord = Pick<
  CommandInput<'recordDeliveries'>,
  'deliveries' | 'state' | 'retries' | 'endedRetries' | 'dropsOpenRetries' | 'disabled'
>;

interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 0 to 1. */
  readonly random: () => number;
}

/** The state of deliveries, and what changed since the last record. */
interface State extends Omit<Writable<DeliveryState>, 'position'> {
  retryCount: number;
  /** The first event that failed since the last success. */
  blockedFrom: number | undefined;
  /** Events without a retry that are delivered or passed now, and by which attempt. */
  readonly inFlight: Map<number, EventAttempt>;
  readonly deliveries: NewDelivery[];
  readonly retries: Map<number, EventRetry>;
  readonly endedRetries: Set<number>;
  dropsOpenRetries: boolean;
  disabled: WebhookDisabling | undefined;
  /** Whether the endpoint answered the last probe with an error that can be due to its event. */
  isEventRejected: boolean;
  /** Rises when `readTo` goes back. */
  rewinds: number;
}

type Writable<Item> = { -readonly [Member in keyof Item]: Item[Member] };

function toState(held: HeldWebhook): State {
  const { status, readTo, failureCount, failingSince, retryStep, nextAttemptAt, retryCount } = held;
  return {
    ...{ status, readTo, failureCount, failingSince, retryStep, nextAttemptAt, retryCount },
    blockedFrom: held.position < readTo ? held.position + 1 : undefined,
    inFlight: new Map(),
    deliveries: [],
    retries: new Map(),
    endedRetries: new Set(),
    dropsOpenRetries: false,
    disabled: undefined,
    isEventRejected: false,
    rewinds: 0,
  };
}

/** Successes are many, and the endpoint chooses the length of their text. */
const successExcerptLengthMax = 200;

function storedExcerpt(result: AttemptResult): string | undefined {
  const { responseExcerpt } = result;
  if (responseExcerpt === undefined || !isDelivered(result)) return responseExcerpt;
  return [...responseExcerpt].slice(0, successExcerptLengthMax).join('');
}

function firstInFlight({ inFlight, readTo }: State): number {
  return Math.min(...inFlight.keys(), readTo + 1);
}

function positionOf(state: State): number {
  return Math.min(state.blockedFrom ?? state.readTo + 1, firstInFlight(state)) - 1;
}

function endRetry(state: State, sequence: number): void {
  state.retries.delete(sequence);
  state.endedRetries.add(sequence);
  state.retryCount -= 1;
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

function planRetry(state: State, { sequence, attempt }: EventAttempt, nextAttemptAt: number): void {
  if (attempt >= attemptsMax) endRetry(state, sequence);
  else state.retries.set(sequence, { sequence, attempt, nextAttemptAt });
}

/** Events after the position are delivered again when the endpoint works. */
function holdPosition(state: State): void {
  state.readTo = positionOf(state);
  state.rewinds += 1;
  state.inFlight.clear();
  state.blockedFrom = undefined;
  state.dropsOpenRetries = true;
  for (const sequence of state.retries.keys()) {
    if (sequence > state.readTo) state.retries.delete(sequence);
  }
}

function disable(state: State, reason: WebhookDisabling): void {
  state.status = 'disabled';
  state.nextAttemptAt = undefined;
  state.disabled = reason;
  holdPosition(state);
}

function succeed(state: State, event: EventAttempt, clock: Clock): void {
  const { sequence, isRetry, passed = [] } = event;
  // An event without a retry has one too if an attempt failed that another server or an earlier lease began.
  if (isRetry || state.retries.has(sequence)) endRetry(state, sequence);
  else state.endedRetries.add(sequence);
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

function fail(
  state: State,
  event: EventAttempt,
  result: AttemptResult,
  { now, random }: Clock,
): void {
  if (state.status === 'disabled') return;
  const { sequence, attempt, isRetry, isProbe, passed } = event;
  const { httpStatus, retryAfterSeconds } = result;
  const at = now();
  const nextAfter = (failures: number) => at + retryDelay(failures, random, retryAfterSeconds);
  state.failingSince ??= event.at;
  state.failureCount += 1;
  if (isRetry) planRetry(state, event, nextAfter(attempt));
  else state.blockedFrom = Math.min(state.blockedFrom ?? sequence, sequence);
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
      planRetry(state, event, nextAfter(attempt));
    }
    if (state.failureCount < failuresMax && state.retryCount <= retriesMax) return;
    state.status = 'failing';
    state.retryStep = 0;
    state.nextAttemptAt = nextAfter(1);
    holdPosition(state);
  }
}

/** Returns what is not recorded yet. A crash repeats the events that are in flight. */
function takeRecord(state: State): ProgressRecord {
  const { status, failureCount, failingSince, retryStep, nextAttemptAt } = state;
  const readTo = firstInFlight(state) - 1;
  const stored = { failureCount, failingSince, retryStep, nextAttemptAt };
  const record = {
    deliveries: state.deliveries.splice(0),
    state: { status, position: positionOf(state), readTo, ...stored },
    retries: [...state.retries.values()],
    endedRetries: [...state.endedRetries],
    dropsOpenRetries: state.dropsOpenRetries,
    disabled: state.disabled,
  };
  state.retries.clear();
  state.endedRetries.clear();
  state.dropsOpenRetries = false;
  state.disabled = undefined;
  return record;
}

/**
 * The rules of delivery to one endpoint. An event that fails gets a retry with its own steps. It holds the position until another
 * event succeeds. A failing endpoint gets only probes with the first event after its position. If it rejects that event, one that it
 * never got is tried too, so that a bad event cannot block the others.
 */
export function createProgress(held: HeldWebhook, clock: Clock) {
  const state = toState(held);
  return {
    get status() {
      return state.status;
    },
    /** The position after which the next event is read. */
    get readTo() {
      return state.readTo;
    },
    /** Rises when `readTo` goes back, so that events that were read are read again. */
    get rewinds() {
      return state.rewinds;
    },
    /** The attempt number of an event that has no retry. */
    get firstAttempt() {
      return state.status === 'failing' ? state.retryStep + 2 : 1;
    },
    get isProbeDue() {
      const { status, nextAttemptAt } = state;
      const isTime = nextAttemptAt === undefined || isTimeDue(nextAttemptAt, clock.now());
      return status === 'failing' && isTime;
    },
    /** Whether the endpoint rejected the event of the last probe, so that another one may be tried. */
    get isEventRejected() {
      return state.isEventRejected;
    },
    /** Whether the stored retry of an event is not up to date. */
    isUnrecorded(sequence: number): boolean {
      return state.retries.has(sequence) || state.endedRetries.has(sequence);
    },
    /** An event without a retry is being delivered. */
    begin(event: EventAttempt): void {
      const { sequence, passed = [] } = event;
      state.isEventRejected = false;
      for (const begun of [...passed, sequence]) state.inFlight.set(begun, event);
      state.readTo = sequence;
    },
    /** Events up to this sequence are not for this webhook, or have begun. */
    skipTo(sequence: number): void {
      state.readTo = Math.max(state.readTo, sequence);
    },
    end(event: EventAttempt, result: AttemptResult): void {
      const { eventId, attempt, at, isRetry } = event;
      const { httpStatus, milliseconds } = result;
      const hasGivenUp = !isDelivered(result) && isRetry && attempt >= attemptsMax;
      const error = hasGivenUp ? 'gave_up' : result.error;
      const responseExcerpt = storedExcerpt(result);
      const delivery = { eventId, at, attempt, httpStatus, error, milliseconds, responseExcerpt };
      state.deliveries.push(delivery);
      if (isDelivered(result)) succeed(state, event, clock);
      else fail(state, event, result, clock);
      // After the position went back, another attempt can deliver the same event.
      for (const [sequence, attempt] of state.inFlight) {
        if (attempt === event) state.inFlight.delete(sequence);
      }
    },
    /** The event of a retry is no longer stored. */
    endRetry: (sequence: number) => endRetry(state, sequence),
    disable: (reason: WebhookDisabling) => disable(state, reason),
    takeRecord: () => takeRecord(state),
  };
}

export type Progress = ReturnType<typeof createProgress>;
