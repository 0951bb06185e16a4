import { describe, expect, it } from 'vitest'
import { analysisLock, ledAnalyses } from '../../domain/analysis-lock.ts'
import { analysisState } from './analyses-list.tsx'

const summary = (lastState: 'running' | 'waiting' | 'done' | null, lastAsk: 'question' | 'rows' | null = null) => ({
  id: 'a1',
  lastState,
  lastAsk,
})

describe('analysisState', () => {
  it('is running only while a tab runs it; otherwise it waits for the browser', async () => {
    const held = [{ name: analysisLock('a1') }, { name: 'something else' }]
    const led = await ledAnalyses({ query: async () => ({ held, pending: [] }) })
    expect(analysisState(summary('running'), led)).toBe('running')
    expect(analysisState({ ...summary('running'), id: 'a2' }, led)).toBe('waiting_client')
  })

  it('is the stored state if the browser has no locks', async () => {
    expect(analysisState(summary('running'), await ledAnalyses(undefined))).toBe('running')
  })

  it('distinguishes a question from an approval of rows', () => {
    expect(analysisState(summary('waiting', 'question'), null)).toBe('waiting_user')
    expect(analysisState(summary('waiting', 'rows'), null)).toBe('waiting_approval')
    expect(analysisState(summary('done'), new Set())).toBe('completed')
    expect(analysisState(summary(null), null)).toBe('idle')
  })
})
