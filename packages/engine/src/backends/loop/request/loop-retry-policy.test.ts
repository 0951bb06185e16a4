import { expect, it } from 'vitest'
import { providerFailure } from '../wire/wire-failure.ts'
import { defaultRetryPolicy, retryDelayMs } from './loop-retry-policy.ts'

const delayAfter = (retryAfter: string, attempt: number) => {
  const headers = new Headers({ 'retry-after': retryAfter })
  const failure = providerFailure({ status: 429, headers, type: null, message: '' }, null)
  return retryDelayMs(failure, attempt, { retryPolicy: defaultRetryPolicy, random: () => 0.5 })
}

it.each(['-5', '0', '0.001'])('uses the default delay when a provider requests %s seconds', (retryAfter) => {
  expect(delayAfter(retryAfter, 1)).toBe(500)
  expect(delayAfter(retryAfter, 3)).toBe(2000)
})

it('waits as long as requested if that is longer', () => {
  expect(delayAfter('7', 1)).toBe(7000)
})
