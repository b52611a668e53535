/** The table `life` is outside of the numbered schema, so that programs without it can use the file. */
export const createLifeTable =
  'CREATE TABLE life (id INTEGER PRIMARY KEY CHECK (id = 1), life TEXT NOT NULL, commits INTEGER NOT NULL, is_running INTEGER NOT NULL) STRICT';
