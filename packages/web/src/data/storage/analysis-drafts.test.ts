import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { forgetDrafts, readDraft, saveDraft } from './analysis-drafts.ts'

const kept = new Map<string, string>()
let isFull = false

beforeEach(() => {
  kept.clear()
  isFull = false
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    removeItem: (key: string) => kept.delete(key),
    setItem(key: string, text: string) {
      if (isFull) throw new DOMException('no room', 'QuotaExceededError')
      kept.set(key, text)
    },
  })
})
afterEach(() => vi.unstubAllGlobals())

it('stores a question and a query per analysis, and removes them with the analysis', () => {
  saveDraft('a', 'why?')
  saveDraft('a', 'FROM sales', 'sql')
  saveDraft('b', 'how?')
  expect([readDraft('a'), readDraft('a', 'sql'), readDraft('b'), readDraft('b', 'sql')]).toEqual([
    ...['why?', 'FROM sales', 'how?', ''],
  ])
  forgetDrafts('a')
  expect([readDraft('a'), readDraft('a', 'sql'), readDraft('b')]).toEqual(['', '', 'how?'])
  saveDraft('b', '')
  expect(kept.size).toBe(0)
})

it('keeps drafts in memory if the browser has no space', () => {
  isFull = true
  saveDraft('full', 'FROM sales', 'sql')
  expect(readDraft('full', 'sql')).toBe('FROM sales')
  isFull = false
  forgetDrafts('full')
  expect(readDraft('full', 'sql')).toBe('')
})
