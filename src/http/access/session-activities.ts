import type { SessionActivity } from '../../domain/access/console.ts';
import type { CommandWriter } from '../../domain/database/commands.ts';

/** The last actions in sessions of the console, kept in memory until they are written, so that no request waits for it. */
export interface SessionActivities {
  note(activity: SessionActivity): void;
  /** Writes what was noted, also what is noted until it ends. */
  flush(): Promise<void>;
}

/** In one transaction. */
const writtenSessionsMax = 500;

export function createSessionActivities(writer: CommandWriter): SessionActivities {
  const noted = new Map<string, SessionActivity>();
  let running: Promise<void> | undefined;

  function note(activity: SessionActivity): void {
    const known = noted.get(activity.digest);
    if (known === undefined || known.lastActiveAt < activity.lastActiveAt) {
      noted.set(activity.digest, activity);
    }
  }

  async function writeAll(): Promise<void> {
    while (noted.size > 0) {
      const activities = [...noted.values()].slice(0, writtenSessionsMax);
      for (const { digest } of activities) noted.delete(digest);
      try {
        await writer.write('recordSessionActivities', { activities });
      } catch (error) {
        activities.forEach(note);
        throw error;
      }
    }
  }

  return {
    note,
    flush() {
      running ??= writeAll().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}
