import { expect, it } from 'vitest'
import { sourceOfText } from '../../analysis/import/source-file.ts'
import { KeptError } from '../../analysis/kept/kept.ts'
import type { KeptTable } from '../../analysis/kept-table.ts'
import { LockNotKept } from '../../analysis/lock-not-kept.ts'
import type { TablesState, Workspace } from '../../analysis/workspace.ts'
import { createCell } from '../../state/cell.ts'
import type { Imports } from './imports.ts'
import { openSample } from './open-sample.ts'

const sample = {
  ...{ title: 'People', sentence: '', questions: [] },
  files: [sourceOfText('people.csv', 'id,email\n1,a@b.c')],
}

const people: KeptTable = {
  ...{ name: 'people', rowCount: 1, neverSent: [], rejectedCount: 0, rejected: [], isKept: true },
  columns: [{ name: 'email', type: 'VARCHAR' }],
  source: { file: 'people.csv', format: 'csv', sizeBytes: 3, fingerprint: 'f' },
  addedAt: '2026-01-01T00:00:00Z',
}

function open(refused: Error): Promise<string> {
  const tables = createCell<TablesState>({ isLasting: true, tables: [], listed: [], missing: [], storage: null })
  // Only what it reaches.
  const workspace = {
    tables,
    setNeverSent: () => Promise.reject(refused),
    createAnalysis: async () => 'a1',
  } as unknown as Workspace
  const addAsFound = async () => [people]
  return openSample(workspace, { addAsFound } as unknown as Imports, sample)
}

it('opens where its locks hold on this page only, and not where they do not hold', async () => {
  const full = new KeptError('full', 'no space')
  expect(await open(new LockNotKept(full))).toBe('a1')
  await expect(open(full)).rejects.toBe(full)
})
