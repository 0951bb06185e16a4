import { expect, it } from 'vitest'
import { EngineError } from './query-engine.ts'
import { retryAfterRestart } from './retry-after-restart.ts'

const failing = (...problems: readonly EngineError['problem'][]) => {
  const left = [...problems]
  return async () => {
    const problem = left.shift()
    if (problem !== undefined) throw new EngineError(problem, problem)
    return left.length
  }
}

it('work that lost its database is done once more, and only once', async () => {
  expect(await retryAfterRestart(failing('dead'))).toBe(0)
  await expect(retryAfterRestart(failing('dead', 'dead'))).rejects.toThrow('dead')
})

it('what the work itself did wrong is said at once', async () => {
  for (const problem of ['sql', 'memory', 'cancelled'] as const)
    await expect(retryAfterRestart(failing(problem))).rejects.toThrow(problem)
})
