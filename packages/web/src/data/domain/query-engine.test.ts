import { expect, it } from 'vitest'
import { EngineError, retryAfterRestart } from './query-engine.ts'

const failing = (...problems: readonly EngineError['problem'][]) => {
  const left = [...problems]
  return async () => {
    const problem = left.shift()
    if (problem !== undefined) throw new EngineError(problem, problem)
    return left.length
  }
}

it('retries work once when the database was restarted', async () => {
  expect(await retryAfterRestart(failing('dead'))).toBe(0)
  await expect(retryAfterRestart(failing('dead', 'dead'))).rejects.toThrow('dead')
})

it('rejects at once when the work itself fails', async () => {
  for (const problem of ['sql', 'memory', 'cancelled'] as const)
    await expect(retryAfterRestart(failing(problem))).rejects.toThrow(problem)
})
