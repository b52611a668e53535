/**
 * What a server of PostgreSQL must promise about commits. `checked`: it has fsync and full_page_writes, and each commit waits for
 * the disk. `platform`: the platform keeps commits without these two settings, and each commit waits for it. `unchecked`: nothing.
 */
export const durabilities = ['checked', 'platform', 'unchecked'] as const;
export type Durability = (typeof durabilities)[number];
