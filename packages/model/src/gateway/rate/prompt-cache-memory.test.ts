import { expect, it } from 'vitest'
import { createPromptCacheMemory } from './prompt-cache-memory.ts'

const used = (inputTokens: number, cacheReadInputTokens: number, cacheCreationInputTokens: number) => ({
  inputTokens,
  cacheReadInputTokens,
  cacheCreationInputTokens,
  outputTokens: 1,
})

it("expects the cached share, never more than the prompt, until the provider's cache has expired", () => {
  let time = 0
  const memory = createPromptCacheMemory(() => time)
  expect(memory.expect('a', 1000)).toBe(0)
  memory.learn('a', 1000, used(100, 500, 400))
  expect([memory.expect('a', 1200), memory.expect('a', 300), memory.expect('b', 1200)]).toEqual([900, 300, 0])
  time = 299_000
  expect(memory.expect('a', 1200)).toBe(0)
})

it('remembers a bounded number of conversations, the newest ones', () => {
  const memory = createPromptCacheMemory(() => 0)
  for (let n = 0; n < 2001; n += 1) memory.learn(`c${n}`, 10, used(0, 0, 10))
  expect([memory.expect('c0', 10), memory.expect('c1', 10), memory.expect('c2000', 10)]).toEqual([0, 10, 10])
})
