import { expect, it } from 'vitest'
import { createLocalHost } from './create-local-host.ts'
import { houseOptions } from './house.fixture.ts'
import { openHouse } from './open-house.ts'

it('waits at close for background work that reads the store, and starts no more of it', async () => {
  const options = await houseOptions([])
  const house = await openHouse({ ...options, role: 'command', address: null, canAsk: true })
  const logged: unknown[] = []
  let letOn: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    letOn = resolve
  })
  let looks = 0
  const engine = {
    ...house.engine,
    sessionsOf(principal: Parameters<typeof house.engine.sessionsOf>[0]) {
      const sessions = house.engine.sessionsOf(principal)
      return {
        ...sessions,
        async list(...asked: Parameters<typeof sessions.list>) {
          looks += 1
          await held
          return sessions.list(...asked)
        },
      }
    },
  }
  const logger = { ...options.logger, error: (facts: object) => void logged.push(facts) }
  const host = createLocalHost({ house: { ...house, engine }, dataDir: options.dataDir, logger })
  await expect.poll(() => looks).toBe(1)
  const closed = host.close().then(house.close)
  letOn()
  await closed
  expect(logged).toEqual([])
  expect(looks).toBe(1)
})
