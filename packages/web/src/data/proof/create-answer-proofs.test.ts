import { expect, it, vi } from 'vitest'
import type { Run } from '../domain/analysis.ts'
import type { Rows } from '../domain/cells.ts'
import { sampleRows, sampleRun, sampleStep } from '../domain/sample-analysis.fixture.ts'
import { createAnswerProofs, type Proofs } from './create-answer-proofs.ts'

const first: Run = { ...sampleRun, steps: [sampleStep(3)] }
const second: Run = { ...sampleRun, id: 'run-2', steps: [sampleStep(6)] }
const found: Rows = sampleRows.get(3) ?? { columns: [], rows: [] }

function open(rows: (n: number) => Promise<Rows> = async () => found) {
  const asked: number[] = []
  let shown: Proofs = new Map()
  const onProofs = vi.fn((proofs: Proofs) => {
    shown = proofs
  })
  const proofs = createAnswerProofs({
    onProofs: onProofs,
    rows(n) {
      asked.push(n)
      return rows(n)
    },
  })
  return { ...proofs, asked, onProofs, shown: () => shown }
}

it('reads each step once, and proves again only answers whose rows changed', async () => {
  const { update, asked, shown } = open()
  update({ runs: [first] })
  await vi.waitFor(() => expect([...shown().keys()]).toEqual(['run-1']))
  const before = shown().get('run-1')
  update({ runs: [first, second] })
  await vi.waitFor(() => expect([...shown().keys()]).toEqual(['run-1', 'run-2']))
  expect(asked).toEqual([3, 6])
  expect(shown().get('run-1')).toBe(before)
  expect([...(shown().get('run-2')?.rowsByStep.keys() ?? [])]).toEqual([3, 6])
  update({ runs: [first, { ...second, steps: [sampleStep(6, { elapsedMs: 99 })] }] })
  await vi.waitFor(() => expect(asked).toEqual([3, 6, 6]))
  expect(shown().get('run-1')).toBe(before)
})

it('does not read steps of a question without an answer', async () => {
  const { update, asked, shown } = open()
  update({ runs: [first, { ...second, answer: null }] })
  await vi.waitFor(() => expect(shown().size).toBe(1))
  expect(asked).toEqual([3])
})

it('marks nothing as unverified while rows are unavailable, retries, and drops proofs whose rows are gone', async () => {
  let isThere = false
  const { update, asked, shown } = open(async () => {
    if (!isThere) throw new Error('the engine is not there')
    return found
  })
  update({ runs: [first] })
  await vi.waitFor(() => expect(asked).toEqual([3]))
  expect(shown().size).toBe(0)
  isThere = true
  update({ runs: [first] })
  await vi.waitFor(() => expect(shown().size).toBe(1))
  isThere = false
  update({ runs: [{ ...first, steps: [sampleStep(3, { elapsedMs: 99 })] }] })
  await vi.waitFor(() => expect(shown().size).toBe(0))
})

it('does not notify after it is closed', async () => {
  const { update, close, onProofs } = open()
  update({ runs: [first] })
  close()
  await new Promise((resolve) => setTimeout(resolve))
  expect(onProofs).not.toHaveBeenCalled()
})
