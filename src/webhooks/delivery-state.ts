import type { CommandInput } from '../domain/database/command-writer.ts';
import type {
  DeliveryState,
  EventRetry,
  HeldWebhook,
  NewDelivery,
  WebhookDisabling,
} from '../domain/webhook.ts';

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

/** The state of deliveries, and what changed since the last record. */
export interface State extends Omit<Writable<DeliveryState>, 'position'> {
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
  /** Until when the endpoint asked for no more events, in milliseconds since 1970. */
  pausedUntil: number;
}

type Writable<Item> = { -readonly [Member in keyof Item]: Item[Member] };

export function toState(held: HeldWebhook): State {
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
    pausedUntil: 0,
  };
}

export function firstInFlight({ inFlight, readTo }: State): number {
  return Math.min(...inFlight.keys(), readTo + 1);
}

export function positionOf(state: State): number {
  return Math.min(state.blockedFrom ?? state.readTo + 1, firstInFlight(state)) - 1;
}

export function endRetry(state: State, sequence: number): void {
  state.retries.delete(sequence);
  state.endedRetries.add(sequence);
  state.retryCount -= 1;
}

/** Events after the position are delivered again when the endpoint works. */
export function holdPosition(state: State): void {
  state.readTo = positionOf(state);
  state.rewinds += 1;
  state.inFlight.clear();
  state.blockedFrom = undefined;
  state.dropsOpenRetries = true;
  for (const sequence of state.retries.keys()) {
    if (sequence > state.readTo) state.retries.delete(sequence);
  }
}

/** Returns what is not recorded yet. A crash repeats the events that are in flight. */
export function takeRecord(state: State): ProgressRecord {
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
