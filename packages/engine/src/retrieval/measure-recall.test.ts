import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { measureRecall } from './measure-recall.ts'

const labelled = fileURLToPath(new URL('testing/labelled', import.meta.url))

describe('the labelled set', () => {
  it('is searched best every way at once, and not worse than docs/internals/retrieval.md says', async () => {
    const { questions, files, modes, isHybridBest } = await measureRecall(labelled, new AbortController().signal)
    expect({ questions, files }).toEqual({ questions: 67, files: 35 })
    expect(isHybridBest).toBe(true)
    expect(modes.hybrid.recall1).toBeGreaterThanOrEqual(0.65)
    expect(modes.hybrid.recall10).toBeGreaterThanOrEqual(0.85)
    expect(modes.hybrid.kinds.identifier?.recall3).toBeGreaterThanOrEqual(0.95)
    // Otherwise there would be nothing to measure.
    expect(modes.hybrid.recall1).toBeLessThan(1)
  }, 120_000)

  it('has to be one', async () => {
    await expect(measureRecall('/nowhere', new AbortController().signal)).rejects.toMatchObject({
      code: 'config.unreadable',
    })
  })
})
