import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { measureRecall } from './measure-recall.ts'

const labelled = fileURLToPath(new URL('testing/labelled', import.meta.url))

describe('the labelled set', () => {
  it('scores best with hybrid search, and at least as stated in docs/internals/retrieval.md', async () => {
    const { questions, files, modes, isHybridBest } = await measureRecall(labelled, new AbortController().signal)
    expect({ questions, files }).toEqual({ questions: 67, files: 35 })
    expect(isHybridBest).toBe(true)
    expect(modes.hybrid.recall1).toBeGreaterThanOrEqual(0.65)
    expect(modes.hybrid.recall10).toBeGreaterThanOrEqual(0.85)
    expect(modes.hybrid.kinds.identifier?.recall3).toBeGreaterThanOrEqual(0.95)
    // Otherwise there would be nothing to measure.
    expect(modes.hybrid.recall1).toBeLessThan(1)
  }, 120_000)

  it('is refused if no passage can answer a question', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-recall-set-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'documents'))
    await writeFile(join(folder, 'documents/garden.md'), '# Garden\n\nRoses are cut in March.\n')
    const labelled = [
      ['Roses  are cut', 'garden.md'],
      ['tulips', 'garden.md'],
      ['Roses', 'graden.md'],
    ].map(([words, source], index) => ({ id: `q${index}`, kind: 'a', question: 'When?', where: '', words, source }))
    await writeFile(join(folder, 'questions.json'), JSON.stringify(labelled))
    await expect(measureRecall(folder, new AbortController().signal)).rejects.toMatchObject({
      code: 'config.invalid',
      message: [
        'questions.json:',
        'question 2 (q1): no passage of garden.md contains its texts',
        'question 3 (q2): no document graden.md was read',
      ].join('\n'),
    })
  })

  it('must have the right format', async () => {
    await expect(measureRecall('/nowhere', new AbortController().signal)).rejects.toMatchObject({
      code: 'config.unreadable',
    })
  })
})
