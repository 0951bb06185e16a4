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
  const told = vi.fn((proofs: Proofs) => {
    shown = proofs
  })
  const proofs = createAnswerProofs({
    onProofs: told,
    rows(n) {
      asked.push(n)
      return rows(n)
    },
  })
  return { ...proofs, asked, told, shown: () => shown }
}

it('reads each step once, and proves again only what has other rows', async () => {
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

it('leaves the steps of a question alone that has no answer yet', async () => {
  const { update, asked, shown } = open()
  update({ runs: [first, { ...second, answer: null }] })
  await vi.waitFor(() => expect(shown().size).toBe(1))
  expect(asked).toEqual([3])
})

it('calls nothing unverified while rows are not to be had, tries again, and drops a proof whose rows are gone', async () => {
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

it('tells nothing more once it is closed', async () => {
  const { update, close, told } = open()
  update({ runs: [first] })
  close()
  await new Promise((resolve) => setTimeout(resolve))
  expect(told).not.toHaveBeenCalled()
})
