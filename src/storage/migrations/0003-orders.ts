import type { Migration } from '../migration.ts';

const counts = ['available', 'pending', 'sold']
  .map(
    (status) =>
      `${status}_count = (SELECT count(*) FROM pets WHERE workspace_id = workspaces.id AND status = '${status}')`,
  )
  .join(', ');

export const orders: Migration = {
  // An older program would not keep the counts.
  writerVersion: 3,
  sqlite: `
    -- The counts are those of the workspace's animals by their status, changed in the transaction that changes an animal.
    ALTER TABLE workspaces ADD COLUMN next_order_id INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE workspaces ADD COLUMN available_count INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE workspaces ADD COLUMN pending_count INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE workspaces ADD COLUMN sold_count INTEGER NOT NULL DEFAULT 0;
    UPDATE workspaces SET ${counts};

    -- The animal of an order that has ended may be gone.
    CREATE TABLE orders (
      workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
      id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
      pet_id INTEGER NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'shipped', 'cancelled')),
      ship_date INTEGER,
      PRIMARY KEY (workspace_id, id)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX orders_by_status ON orders (workspace_id, status, id, pet_id, ship_date);
    CREATE INDEX orders_by_pet ON orders (workspace_id, pet_id, status, id, ship_date);

    -- Behind the check of each order: no animal has two that are open.
    CREATE UNIQUE INDEX open_orders ON orders (workspace_id, pet_id) WHERE status = 'pending';`,
  postgres: `
    ALTER TABLE workspaces
      ADD COLUMN next_order_id bigint NOT NULL DEFAULT 1,
      ADD COLUMN available_count bigint NOT NULL DEFAULT 0,
      ADD COLUMN pending_count bigint NOT NULL DEFAULT 0,
      ADD COLUMN sold_count bigint NOT NULL DEFAULT 0;
    UPDATE workspaces SET ${counts};

    CREATE TABLE orders (
      workspace_id bigint NOT NULL,
      id bigint NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
      pet_id bigint NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'shipped', 'cancelled')),
      ship_date bigint,
      PRIMARY KEY (workspace_id, id)
    );

    CREATE INDEX orders_by_status ON orders (workspace_id, status, id);
    CREATE INDEX orders_by_pet ON orders (workspace_id, pet_id, status, id);
    CREATE UNIQUE INDEX open_orders ON orders (workspace_id, pet_id) WHERE status = 'pending';`,
};
