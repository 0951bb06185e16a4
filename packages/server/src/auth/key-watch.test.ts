import { silentLogger } from '@quarterdeck/engine'
import { expect, it } from 'vitest'
import { createKeyWatch } from './key-watch.ts'

const lasting = { msLeft: Number.POSITIVE_INFINITY }

interface Ring {
  /** The expiry of each valid key; other keys are invalid. */
  readonly left: Map<string, { readonly msLeft: number }>
  isBroken: boolean
}

function watchOf(names: readonly string[], keyCheckMs = 5) {
  const ring: Ring = { left: new Map(names.map((name) => [name, lasting])), isBroken: false }
  const asked: (readonly string[])[] = []
  const warnings: string[] = []
  const listeners = new Set<() => void>()
  const watch = createKeyWatch({
    keyCheckMs,
    keys: {
      async holding(tokens) {
        asked.push(tokens)
        if (ring.isBroken) throw new Error('the disk is busy')
        return new Map([...ring.left].filter(([token, { msLeft }]) => tokens.includes(token) && msLeft > 0))
      },
      onRevoked(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    logger: { ...silentLogger, warn: (_facts, message) => void warnings.push(message) },
  })
  const notifyRevoked = () => {
    for (const listener of listeners) listener()
  }
  return { watch, ring, asked, warnings, listeners, notifyRevoked }
}

it('looks up all keys together, each once for all its streams, and none without streams', async () => {
  const { watch, asked, listeners } = watchOf(['a', 'b'])
  const streams = [watch.watch('a'), watch.watch('a'), watch.watch('b')]
  await expect.poll(() => asked.length).toBeGreaterThan(2)
  expect(asked.slice(0, 2)).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
  streams[2]?.release()
  streams[0]?.release()
  await expect.poll(() => asked.at(-1)).toEqual(['a'])
  expect(listeners.size).toBe(1)
  streams[1]?.release()
  expect(listeners.size).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 10))
  const before = asked.length
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(asked.length).toBe(before)
})

it('ends the streams of a key that another process has revoked, and no others', async () => {
  const { watch, ring } = watchOf(['a', 'b'])
  const [one, two, other] = [watch.watch('a'), watch.watch('a'), watch.watch('b')]
  ring.left.delete('a')
  await expect.poll(() => one.revoked.aborted && two.revoked.aborted).toBe(true)
  expect(other.revoked.aborted).toBe(false)
  for (const stream of [one, two, other]) stream.release()
})

it('checks at once when a key is revoked in this process, regardless of the interval', async () => {
  const { watch, ring, asked, notifyRevoked } = watchOf(['a'], 3_600_000)
  const { revoked, release } = watch.watch('a')
  await expect.poll(() => asked.length).toBe(1)
  ring.left.delete('a')
  notifyRevoked()
  await expect.poll(() => revoked.aborted).toBe(true)
  release()
})

it('checks exactly when a key expires, regardless of the interval', async () => {
  const { watch, ring, asked } = watchOf([], 3_600_000)
  const end = Date.now() + 150
  ring.left.set('a', {
    get msLeft() {
      return end - Date.now()
    },
  })
  const { revoked, release } = watch.watch('a')
  await expect.poll(() => revoked.aborted).toBe(true)
  expect(Date.now()).toBeGreaterThanOrEqual(end)
  expect(asked.length).toBeLessThan(6)
  release()
})

it('ends no streams while the keys cannot be read, and keeps checking', async () => {
  const { watch, ring, warnings } = watchOf([])
  ring.isBroken = true
  const { revoked, release } = watch.watch('a')
  await expect.poll(() => warnings.length).toBeGreaterThan(1)
  expect(revoked.aborted).toBe(false)
  ring.isBroken = false
  await expect.poll(() => revoked.aborted).toBe(true)
  release()
})

it('checks a new key at once while a lookup is running, regardless of the interval', async () => {
  let answer: () => void = () => undefined
  const asked: (readonly string[])[] = []
  const watch = createKeyWatch({
    keyCheckMs: 3_600_000,
    keys: {
      async holding(tokens) {
        asked.push(tokens)
        if (asked.length === 1) await new Promise<void>((resolve) => (answer = resolve))
        return new Map([['a', lasting]])
      },
      onRevoked: () => () => undefined,
    },
    logger: silentLogger,
  })
  const first = watch.watch('a')
  await expect.poll(() => asked).toEqual([['a']])
  const second = watch.watch('b')
  answer()
  await expect.poll(() => second.revoked.aborted).toBe(true)
  expect(asked[1]).toEqual(['a', 'b'])
  for (const stream of [first, second]) stream.release()
})
