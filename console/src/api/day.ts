/**
 * Whether a time stands for a day that a user chose: noon in UTC. It is this day for every viewer, and the same day in programs from
 * UTC−11 to UTC+11 that show it as a time.
 */
export function isChosenDay(time: string | number): boolean {
  return new Date(time).toISOString().endsWith('T12:00:00.000Z');
}
