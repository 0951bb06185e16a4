import type { ImportedTable } from './imported-table.ts'

export const importedTable = (
  name: string,
  columns: Readonly<Record<string, string>>,
  more: Partial<ImportedTable> = {},
): ImportedTable => ({
  name,
  rowCount: 100,
  columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
  neverSent: [],
  source: { file: `${name}.csv`, format: 'csv', sizeBytes: 1000, fingerprint: 'f' },
  rejectedCount: 0,
  rejected: [],
  addedAt: '2026-01-01T00:00:00Z',
  isKept: true,
  ...more,
})
