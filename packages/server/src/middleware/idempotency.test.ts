import type { StoredReply } from '@quarterdeck/engine'
import { describe, expect, it } from 'vitest'
import { createIdempotency, idempotencyKeyOf, type ReplyStore } from './idempotency.ts'

const request = { principal: 'operator', key: 'k1', method: 'POST', path: '/v1/sessions', body: '{"agent":"a"}' }

function createReplies(): ReplyStore & { readonly cached: Map<string, StoredReply> } {
  const cached = new Map<string, StoredReply>()
  return {
    cached,
    findReply: async (principal, key) => cached.get(`${principal} ${key}`) ?? null,
    saveReply: async (principal, key, reply) => {
      cached.set(`${principal} ${key}`, reply)
    },
  }
}

function createWork() {
  let runs = 0
  const execute = async () => {
    runs += 1
    const number = runs
    await new Promise((resolve) => setTimeout(resolve, 5))
    return { status: 201, body: `run ${number}` }
  }
  return { execute, runs: () => runs }
}

describe('idempotency', () => {
  it('does not store the key itself', async () => {
    const replies = createReplies()
    const key = 'a-key-somebody-wanted-to-keep-to-himself'
    await createIdempotency(replies).run({ ...request, key }, createWork().execute)
    expect([...replies.cached.keys()]).toEqual([expect.stringMatching(/^operator [0-9a-f]{64}$/)])
  })

  it('answers the same request with the same key from the store', async () => {
    const { execute, runs } = createWork()
    const replies = createReplies()
    expect(await createIdempotency(replies).run(request, execute)).toEqual({
      status: 201,
      body: 'run 1',
      isReplay: false,
    })
    // A new process with the same store.
    expect(await createIdempotency(replies).run(request, execute)).toEqual({
      status: 201,
      body: 'run 1',
      isReplay: true,
    })
    expect(runs()).toBe(1)
  })

  it('runs once for many concurrent requests', async () => {
    const { execute, runs } = createWork()
    const idempotency = createIdempotency(createReplies())
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => idempotency.run(request, execute)))
    expect(runs()).toBe(1)
    expect(new Set(outcomes.map((outcome) => outcome.body))).toEqual(new Set(['run 1']))
    expect(outcomes.filter((outcome) => !outcome.isReplay)).toHaveLength(1)
  })

  it.each([{ body: '{"agent":"b"}' }, { path: '/v1/sessions/ses_1234567/close' }])(
    'refuses the key for another request (%j), finished or still running',
    async (change) => {
      const { execute } = createWork()
      const idempotency = createIdempotency(createReplies())
      const first = idempotency.run(request, execute)
      const other = { ...request, ...change }
      await expect(idempotency.run(other, execute)).rejects.toMatchObject({ code: 'request.idempotency-mismatch' })
      await first
      await expect(idempotency.run(other, execute)).rejects.toMatchObject({ code: 'request.idempotency-mismatch' })
    },
  )

  it('stores no failure, so that the key can be tried again', async () => {
    const { execute } = createWork()
    const idempotency = createIdempotency(createReplies())
    const fail = async (): Promise<never> => {
      throw new Error('no')
    }
    await expect(idempotency.run(request, fail)).rejects.toThrow('no')
    expect((await idempotency.run(request, execute)).isReplay).toBe(false)
  })

  it('separates the keys of different principals', async () => {
    const { execute, runs } = createWork()
    const idempotency = createIdempotency(createReplies())
    await idempotency.run(request, execute)
    await idempotency.run({ ...request, principal: 'somebody else' }, execute)
    expect(runs()).toBe(2)
  })

  it('accepts 1 to 200 visible characters as a key, or no key', () => {
    expect(idempotencyKeyOf(undefined)).toBeNull()
    expect(idempotencyKeyOf('x'.repeat(200))).toHaveLength(200)
    for (const bad of ['', 'x'.repeat(201), 'two words', 'ä']) expect(() => idempotencyKeyOf(bad)).toThrow(/1 to 200/)
  })
})
