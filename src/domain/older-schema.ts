/** What a command does to data that an older program wrote. */
export type OlderSchema = 'migrated' | 'refused';

/** From which version of the schema to which; the same where nothing was to do. */
export interface Migration {
  readonly from: number;
  readonly to: number;
}

/** What is said of it where it is refused: brought to this program's schema, it is of no use to the older one. */
export function olderSchemaLine(what: string, version: number, versionNeeded: number): string {
  return `${what} has schema version ${version}, and this program works with version ${versionNeeded}: run animal-store migrate, after which older programs refuse it`;
}
