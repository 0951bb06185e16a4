import { expect, it } from 'vitest'
import { createCell } from '../../state/cell.ts'
import type { Engine, ReadOptions } from '../engine.ts'
import type { KeptTable } from '../kept-table.ts'
import { after, asked, at, begun, good, sales } from './analysis.fixture.ts'
import { foldAnalysis } from './fold-analysis.ts'
import { openStepBook, withheldSteps } from './open-step-book.ts'
import { withoutNames } from './without-names.ts'

function open() {
  const state = createCell(after(asked()))
  let table: KeptTable = sales
  const book = openStepBook({
    ...{ runId: 'r1', analysis: state.getSnapshot, save: async () => undefined, tables: () => [table] },
    record: (fact) => state.set(foldAnalysis(state.getSnapshot(), fact, at)),
    room: { bring: async () => undefined, has: () => undefined },
    shelf: { saveStep: async () => undefined },
  })
  const lock = () => {
    table = { ...sales, neverSent: ['city'] }
  }
  const leave = () => state.update({ scope: [] })
  return { book, lock, leave, withheld: () => withheldSteps(state.getSnapshot(), [table]) }
}

it.each(['lock', 'leave'] as const)(
  'a step of a table is gone for a model after a %s, and nothing of it is sent',
  async (change) => {
    const { book, withheld, ...changes } = open()
    const n = await book.begin(begun('c1', 'SELECT city AS c FROM sales'))
    await book.settle(n, good())
    await book.begin(begun('c2', 'SELECT 1'))
    expect([book.steps().length, withheld()]).toEqual([2, []])
    changes[change]()
    expect(book.steps().map((step) => step.n)).toEqual([2])
    expect(withheld()).toEqual(['step_1'])
    await expect(book.sent(1, { bytes: 1, rows: 1 })).rejects.toThrow('changed while it ran')
    await book.sent(2, { bytes: 1, rows: 1 })
  },
)

it('a step that runs after the lock is there', async () => {
  const { book, lock, withheld } = open()
  lock()
  await book.settle(await book.begin(begun('c1', 'FROM sales')), good())
  expect([book.steps().length, withheld()]).toEqual([1, []])
})

it('what a model does not have is hidden in each of its reads, and in none of a person', async () => {
  const hidden: (readonly string[] | undefined)[] = []
  const read = (_: string, options: Omit<ReadOptions, 'maxRows'>) => {
    hidden.push(options.hidden)
    return Promise.reject(new Error('not read'))
  }
  const engine = withoutNames({ read, plan: read } as unknown as Engine, () => ['step_1']) // only these of it are used
  for (const author of ['model', 'person'] as const) {
    await engine.read('', { author, maxRows: 1, timeoutMs: 1, hidden: ['t'] }).catch(() => undefined)
    await engine.plan('', { author, timeoutMs: 1 }).catch(() => undefined)
  }
  expect(hidden).toEqual([['t', 'step_1'], ['step_1'], ['t'], undefined])
})
