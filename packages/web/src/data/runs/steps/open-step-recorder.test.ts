import { expect, it } from 'vitest'
import { createStore } from '../../../stores/primitives/store.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import type { QueryEngine, QueryOptions } from '../../domain/query-engine.ts'
import { after, asked, at, begun, good, sales } from '../analysis.fixture.ts'
import { foldAnalysis } from '../state/fold-analysis.ts'
import { hideNames, openStepRecorder, withheldSteps } from './open-step-recorder.ts'

function open() {
  const state = createStore(after(asked()))
  let table: ImportedTable = sales
  const recorder = openStepRecorder({
    runId: 'r1',
    analysis: state.getSnapshot,
    save: async () => undefined,
    tables: () => [table],
    record: (fact) => state.set(foldAnalysis(state.getSnapshot(), fact, at)),
    stepCache: { bring: async () => undefined, has: () => undefined },
    storage: { saveStep: async () => undefined },
  })
  const lock = () => {
    table = { ...sales, neverSent: ['city'] }
  }
  const leave = () => state.update({ scope: [] })
  return { recorder, lock, leave, withheld: () => withheldSteps(state.getSnapshot(), [table]) }
}

it.each(['lock', 'leave'] as const)(
  'hides a step of a table from the model after a %s, and sends nothing of it',
  async (change) => {
    const { recorder, withheld, ...changes } = open()
    const n = await recorder.begin(begun('c1', 'SELECT city AS c FROM sales'))
    await recorder.settle(n, good())
    await recorder.begin(begun('c2', 'SELECT 1'))
    expect([recorder.steps().length, withheld()]).toEqual([2, []])
    changes[change]()
    expect(recorder.steps().map((step) => step.n)).toEqual([2])
    expect(withheld()).toEqual(['step_1'])
    await expect(recorder.sent(1, { bytes: 1, rows: 1 })).rejects.toThrow('changed while it ran')
    await recorder.sent(2, { bytes: 1, rows: 1 })
  },
)

it('shows a step that runs after the lock', async () => {
  const { recorder, lock, withheld } = open()
  lock()
  await recorder.settle(await recorder.begin(begun('c1', 'FROM sales')), good())
  expect([recorder.steps().length, withheld()]).toEqual([1, []])
})

it('hides names in each read of the model, and in none of the user', async () => {
  const hidden: (readonly string[] | undefined)[] = []
  const read = (_: string, options: Omit<QueryOptions, 'maxRows'>) => {
    hidden.push(options.hidden)
    return Promise.reject(new Error('not read'))
  }
  const engine = hideNames({ read, plan: read } as unknown as QueryEngine, () => ['step_1']) // only these parts are used
  for (const author of ['model', 'person'] as const) {
    await engine.read('', { author, maxRows: 1, timeoutMs: 1, hidden: ['t'] }).catch(() => undefined)
    await engine.plan('', { author, timeoutMs: 1 }).catch(() => undefined)
  }
  expect(hidden).toEqual([['t', 'step_1'], ['step_1'], ['t'], undefined])
})
