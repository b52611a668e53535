/** Lines of the first level are dropped first. */
export const lineLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
type LineLevel = (typeof lineLevels)[number];

interface Line {
  readonly order: number;
  readonly text: string;
}

/** The lines of one level. `length` is the number of their characters. */
interface Waiting {
  readonly level: LineLevel;
  lines: Line[];
  length: number;
}

/**
 * Lines that wait until they can be written, up to `lengthMax` characters. If there is no room for a line, the newest lines
 * of the lowest levels are dropped, or the line itself if lines of lower levels would not make room.
 */
export function createLogQueue(lengthMax: number) {
  const waiting = lineLevels.map((level): Waiting => ({ level, lines: [], length: 0 }));
  const droppedLines = { trace: 0, debug: 0, info: 0, warn: 0, error: 0, fatal: 0 };
  let freeLength = lengthMax;
  let order = 0;
  let droppedCount = 0;

  function drop(level: LineLevel): void {
    droppedLines[level] += 1;
    droppedCount += 1;
  }

  function makeRoom(wantedLength: number, rank: number): boolean {
    const lower = waiting.slice(0, rank);
    const lowerLength = lower.reduce((sum, { length }) => sum + length, 0);
    if (freeLength + lowerLength < wantedLength) return false;
    for (const entry of lower) {
      while (freeLength < wantedLength) {
        const newest = entry.lines.pop();
        if (newest === undefined) break;
        entry.length -= newest.text.length;
        freeLength += newest.text.length;
        drop(entry.level);
      }
    }
    return true;
  }

  return {
    /** How many lines were dropped since the start. */
    droppedLines: droppedLines as Readonly<typeof droppedLines>,
    add(level: LineLevel, text: string): void {
      const rank = lineLevels.indexOf(level);
      const entry = waiting[rank];
      if (entry === undefined) return;
      if (freeLength >= text.length || makeRoom(text.length, rank)) {
        order += 1;
        entry.lines.push({ order, text });
        entry.length += text.length;
        freeLength -= text.length;
      } else {
        drop(level);
      }
    },
    /** Removes all lines and returns their text, in the order in which they were added. */
    take(): string {
      const lines = waiting.flatMap((entry) => entry.lines);
      lines.sort((one, other) => one.order - other.order);
      for (const entry of waiting) {
        entry.lines = [];
        entry.length = 0;
      }
      freeLength = lengthMax;
      return lines.map(({ text }) => text).join('');
    },
    /** How many lines were dropped since the last call. */
    takeDroppedCount(): number {
      const count = droppedCount;
      droppedCount = 0;
      return count;
    },
  };
}

export type LogQueue = ReturnType<typeof createLogQueue>;
