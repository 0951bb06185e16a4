import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLocalHost } from './create-local-host.ts'
import { houseOptions } from './house.fixture.ts'
import { openHouse } from './open-house.ts'

it('waits in close() for background work that reads the store, and starts no more of it', async () => {
  const options = await houseOptions([])
  const house = await openHouse({ ...options, role: 'command', address: null, canAsk: true })
  const logged: unknown[] = []
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let listings = 0
  const engine = {
    ...house.engine,
    sessionsOf(principal: Parameters<typeof house.engine.sessionsOf>[0]) {
      const sessions = house.engine.sessionsOf(principal)
      return {
        ...sessions,
        async list(...asked: Parameters<typeof sessions.list>) {
          listings += 1
          await released
          return sessions.list(...asked)
        },
      }
    },
  }
  const logger = { ...options.logger, error: (facts: object) => void logged.push(facts) }
  const host = createLocalHost({ house: { ...house, engine }, dataDir: options.dataDir, logger })
  await expect.poll(() => listings).toBe(1)
  let isClosed = false
  const closed = host.close().then(() => {
    isClosed = true
  })
  await setImmediate()
  expect(isClosed).toBe(false)
  release()
  await closed
  await house.close()
  expect(logged).toEqual([])
  expect(listings).toBe(1)
})
