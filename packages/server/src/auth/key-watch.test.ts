import { silentLogger } from '@quarterdeck/engine'
import type { Principal } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createKeyWatch } from './key-watch.ts'

const ana: Principal = { name: 'ana', owner: 'ana', scope: 'operator', requestsPerMinute: null }

function watchOf(findKey: (token: string) => Promise<Principal | null>) {
  const asked: string[] = []
  const warnings: string[] = []
  const watch = createKeyWatch({
    keyCheckMs: 5,
    findKey(token) {
      asked.push(token)
      return findKey(token)
    },
    logger: { ...silentLogger, warn: (_facts, message) => void warnings.push(message) },
  })
  return { watch, asked, warnings }
}

it('looks a key up once for all of its streams, and not at all when the last is gone', async () => {
  const { watch, asked } = watchOf(async () => ana)
  const streams = [watch.watch('a'), watch.watch('a'), watch.watch('b')]
  await expect.poll(() => asked.length).toBeGreaterThan(3)
  expect(asked.slice(0, 4)).toEqual(['a', 'b', 'a', 'b'])
  streams[2]?.release()
  streams[0]?.release()
  const seen = asked.length
  await expect.poll(() => asked.length).toBeGreaterThan(seen + 2)
  streams[1]?.release()
  await new Promise((resolve) => setTimeout(resolve, 10))
  const before = asked.length
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(asked.length).toBe(before)
})

it('revokes nobody while the keys cannot be read, and goes on looking', async () => {
  let isBroken = true
  const { watch, warnings } = watchOf(async () => {
    if (isBroken) throw new Error('the disk is busy')
    return null
  })
  const { revoked, release } = watch.watch('a')
  await expect.poll(() => warnings.length).toBeGreaterThan(1)
  expect(revoked.aborted).toBe(false)
  isBroken = false
  await expect.poll(() => revoked.aborted).toBe(true)
  release()
})
