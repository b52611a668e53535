import type { ImportedRecord, ImportReads } from '../../domain/import.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { type Statement, statement } from '../statement.ts';
import type { Within } from '../within.ts';

/** What an import of one source added: `$1` is the workspace, `$2` the source. */
const ofSource = (kind: 'category' | 'pet') => `
  FROM imported_records WHERE imported_records.workspace_id = $1 AND kind = '${kind}'
    AND import_id = (SELECT id FROM imports WHERE workspace_id = $1 AND source = $2)`;

const selectRows = statement<{ row: number; id: Int64; exists: number }>(
  `SELECT place AS "row", record_id AS id,
    CASE WHEN EXISTS (SELECT 1 FROM pets WHERE workspace_id = $1 AND id = record_id) THEN 1 ELSE 0 END AS "exists"
  ${ofSource('pet')} AND place > $3 ORDER BY place LIMIT $4`,
  ['row', 'exists'],
);

const selectPets: Statement<ImportedRecord & { row: number }> = statement(
  `SELECT place AS "row", record_id AS id, version ${ofSource('pet')} AND place = ANY ($3::bigint[])`,
  ['row'],
);

const selectCategories = statement<ImportedRecord>(
  `SELECT record_id AS id, version ${ofSource('category')}
    AND EXISTS (SELECT 1 FROM categories WHERE workspace_id = $1 AND id = record_id)
  ORDER BY place LIMIT $3`,
);

export function createImportReads(within: Within): ImportReads {
  return {
    readImportedRows: (context, workspaceId, source, { limit, afterRow }) =>
      andThen(
        within(context).all(selectRows, [workspaceId, source, afterRow, limit + 1]),
        (found) => {
          const rows = found
            .slice(0, limit)
            .map((each) => ({ ...each, exists: each.exists === 1 }));
          return { rows, nextAfterRow: found.length > limit ? rows.at(-1)?.row : undefined };
        },
      ),
    readImportedCategories: (context, workspaceId, source, limit) =>
      within(context).all(selectCategories, [workspaceId, source, limit]),
    async findImportedPets(context, workspaceId, source, rows) {
      const places = rows.map(BigInt);
      const found = await within(context).all(selectPets, [workspaceId, source, places]);
      return new Map(found.map(({ row, ...record }) => [row, record]));
    },
  };
}
