import { sessionMilliseconds } from '../../domain/access/console.ts';
import type { Answer } from '../answer/answer.ts';
import type { FoundSession } from './find-session.ts';
import { type ConsoleServices, jsonAnswer } from './services.ts';

/** Reports that come sooner after the last one change nothing, so that a session costs at most one write in this time. */
const reportMillisecondsMin = 60_000;

/** `POST /console/v1/session/activity`: the user of a session acted. Returns when the session ends now. */
export function noteActivity({ uses, now }: ConsoleServices, found: FoundSession): Answer {
  const at = now();
  const { digest, lastActiveAt, validUntilMax } = found;
  if (at - lastActiveAt < reportMillisecondsMin) return jsonAnswer(200, describeEnd(found, at));
  const expiresAt = Math.min(at + sessionMilliseconds, validUntilMax);
  uses.noteSessionActivity({ digest, lastActiveAt: at, expiresAt });
  const continued = { ...found, lastActiveAt: at, validUntil: expiresAt };
  return jsonAnswer(200, describeEnd(continued, at));
}

/** When a session ends. The seconds hold for a page whose clock is wrong. */
export function describeEnd(
  { lastActiveAt, validUntil, validUntilMax }: FoundSession,
  now: number,
) {
  return {
    expiresAt: new Date(validUntil).toISOString(),
    secondsLeft: Math.floor((validUntil - now) / 1000),
    idleSeconds: Math.floor((now - lastActiveAt) / 1000),
    /** Whether an action moves the end. */
    mayContinue: validUntil < validUntilMax,
  };
}
