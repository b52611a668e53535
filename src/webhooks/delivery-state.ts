import type {
  DeliveryState,
  EventRetry,
  HeldWebhook,
  NewDelivery,
  WebhookDisabling,
} from '../domain/webhook.ts';
import type { CommandInput } from '../storage/contract/command-writer.ts';

/** An attempt to deliver one event. */
export interface EventAttempt {
  readonly sequence: number;
  readonly eventId: string;
  /** Which attempt at this event it is, from 1. */
  readonly number: number;
  /** Whether the event failed before and has a stored retry. */
  readonly isRetry: boolean;
  /** Whether the endpoint is failing, and this is its only attempt. */
  readonly isProbe: boolean;
  /** The events before it that the endpoint rejected, if this is a second probe after that. */
  readonly passed?: readonly number[] | undefined;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
}

/** What changed since the state was last saved. */
export type UnsavedChanges = Pick<
  CommandInput<'saveDeliveries'>,
  'deliveries' | 'state' | 'retries' | 'endedRetries' | 'dropsOpenRetries' | 'disabled'
>;

type Writable<Item> = { -readonly [Member in keyof Item]: Item[Member] };

/**
 * The state of deliveries, and what changed since it was last saved. The position follows from it: it is before the first event that
 * failed since the last success, and before each event whose first attempt is in flight.
 */
export interface State extends Omit<Writable<DeliveryState>, 'position'> {
  retryCount: number;
  /** The first event that failed since the last success. */
  blockedFrom: number | undefined;
  /** The attempts at events without a retry, in the order of their events. */
  readonly inFlight: Set<EventAttempt>;
  readonly deliveries: NewDelivery[];
  /** For each event whose retry changed, the retry; undefined if it ended. */
  readonly retries: Map<number, EventRetry | undefined>;
  dropsOpenRetries: boolean;
  disabled: WebhookDisabling | undefined;
  /** Whether the endpoint answered the last probe with an error that can be due to its event. */
  isEventRejected: boolean;
  /** Until when the endpoint asked for no more events, in milliseconds since 1970. */
  pausedUntil: number;
}

export function toState(held: HeldWebhook): State {
  const { status, readTo, failureCount, failingSince, retryStep, nextAttemptAt, retryCount } = held;
  return {
    ...{ status, readTo, failureCount, failingSince, retryStep, nextAttemptAt, retryCount },
    blockedFrom: held.position < readTo ? held.position + 1 : undefined,
    inFlight: new Set(),
    deliveries: [],
    retries: new Map(),
    dropsOpenRetries: false,
    disabled: undefined,
    isEventRejected: false,
    pausedUntil: 0,
  };
}

function firstInFlight({ inFlight, readTo }: State): number {
  const [first] = inFlight;
  return first === undefined ? readTo + 1 : (first.passed?.[0] ?? first.sequence);
}

function positionOf(state: State): number {
  return Math.min(state.blockedFrom ?? state.readTo + 1, firstInFlight(state)) - 1;
}

export function endRetry(state: State, sequence: number): void {
  state.retries.set(sequence, undefined);
  state.retryCount -= 1;
}

/** Events after the position are delivered again when the endpoint works. */
export function holdPosition(state: State): void {
  state.readTo = positionOf(state);
  state.inFlight.clear();
  state.blockedFrom = undefined;
  state.dropsOpenRetries = true;
  for (const sequence of state.retries.keys()) {
    if (sequence > state.readTo) state.retries.delete(sequence);
  }
}

/** Returns what is not saved yet. A crash repeats the events that are in flight. */
export function takeUnsaved(state: State): UnsavedChanges {
  const { status, failureCount, failingSince, retryStep, nextAttemptAt } = state;
  const readTo = firstInFlight(state) - 1;
  const stored = { failureCount, failingSince, retryStep, nextAttemptAt };
  const { dropsOpenRetries, disabled } = state;
  const changed = [...state.retries];
  state.retries.clear();
  state.dropsOpenRetries = false;
  state.disabled = undefined;
  return {
    deliveries: state.deliveries.splice(0),
    state: { status, position: positionOf(state), readTo, ...stored },
    retries: changed.flatMap(([, retry]) => retry ?? []),
    endedRetries: changed.flatMap(([sequence, retry]) => (retry === undefined ? sequence : [])),
    dropsOpenRetries,
    disabled,
  };
}
