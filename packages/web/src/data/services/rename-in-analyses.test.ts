import { expect, it } from 'vitest'
import type { Analysis } from '../domain/analysis.ts'
import { analysisLock } from '../domain/analysis-lock.ts'
import { newAnalysis } from '../runs/state/new-analysis.ts'
import { renameInAnalyses } from './rename-in-analyses.ts'

it('renames a table in every analysis, and leaves a running one to its tab', async () => {
  const about = (id: string, scope: readonly string[]): Analysis => ({
    ...newAnalysis(id, scope, ''),
    tables: scope.map((name) => ({ name, fingerprint: name, rowCount: 1 })),
  })
  const analyses = new Map([
    ['closed', about('closed', ['sales', 'people'])],
    ['led', about('led', ['sales'])],
    ['other', about('other', ['people'])],
  ])
  const notified: unknown[] = []
  const saved: Analysis[] = []
  const request = async (name: string, ...[, work]: readonly unknown[]) =>
    (work as (lock: Lock | null) => unknown)(name === analysisLock('led') ? null : { name, mode: 'exclusive' })
  const deps = {
    load: async (id: string) => analyses.get(id) ?? null,
    save: async (analysis: Analysis) => void saved.push(analysis),
    notifyTab: async (id: string, change: unknown) => void notified.push([id, change]),
    locks: { request: request as LockManager['request'] },
    isOpen: () => false,
  }
  await renameInAnalyses(deps, [...analyses.keys()], { from: 'sales', to: 'orders' })
  expect(saved).toEqual([
    expect.objectContaining({
      id: 'closed',
      scope: ['orders', 'people'],
      tables: [
        { name: 'orders', fingerprint: 'sales', rowCount: 1 },
        { name: 'people', fingerprint: 'people', rowCount: 1 },
      ],
    }),
  ])
  expect(notified).toEqual([
    ['led', { scope: ['orders'], tables: [{ name: 'orders', fingerprint: 'sales', rowCount: 1 }] }],
  ])
})
