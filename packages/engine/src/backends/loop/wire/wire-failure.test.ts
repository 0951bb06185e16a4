import { describe, expect, it } from 'vitest'
import { brokenFailure, providerFailure } from './wire-failure.ts'

const reported = (status: number | undefined, headers: Record<string, string> = {}, message = 'because') =>
  providerFailure({ status, headers: new Headers(headers), type: null, message }, null)

describe('a provider failure', () => {
  it.each([
    [408, true],
    [409, true],
    [429, true],
    [500, true],
    [529, true],
    [400, false],
    [404, false],
    [413, false],
  ])('with status %i is retryable: %s', (status, isRetryable) => {
    expect(reported(status).facts.isRetryable).toBe(isRetryable)
  })

  it('reads the retry delay from every format that providers use', () => {
    expect(reported(429, { 'retry-after-ms': '250', 'retry-after': '9' }).facts.retryAfterMs).toBe(250)
    expect(reported(429, { 'retry-after': '1.5' }).facts.retryAfterMs).toBe(1500)
    expect(reported(429).facts.retryAfterMs).toBeNull()
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    const byDate = reported(429, { 'retry-after': inAMinute }).facts.retryAfterMs ?? 0
    expect(byDate).toBeGreaterThan(0)
    expect(byDate).toBeLessThanOrEqual(60_000)
    expect(reported(429, { 'retry-after': 'soon' }).facts.retryAfterMs).toBeNull()
  })

  it('omits the provider’s text about a refused key', () => {
    expect(reported(401, {}, 'Incorrect API key: made-up').message).toBe('the provider refused the key (401)')
  })

  it('recognizes a conversation that is too long for both providers', () => {
    for (const words of ['prompt is too long: 9 > 8 maximum', "This model's maximum context length is 8 tokens"]) {
      expect(reported(400, {}, words).facts.isTooLong).toBe(true)
    }
    expect(reported(400, {}, 'no such parameter').facts.isTooLong).toBe(false)
  })

  it('reports the nested causes of a failed connection', () => {
    const error = new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') })
    expect(brokenFailure(error).message).toContain('fetch failed: connect ECONNREFUSED')
  })
})
