import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openRuntime } from '../runtime/open-runtime.ts'
import { runtimeOptions } from '../runtime/runtime.fixture.ts'
import { createLocalHost } from './create-local-host.ts'

it('waits in close() for background work that reads the store, and starts no more of it', async () => {
  const options = await runtimeOptions([])
  const runtime = await openRuntime({ ...options, role: 'command', address: null, canAsk: true })
  const logged: unknown[] = []
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let listings = 0
  const engine = {
    ...runtime.engine,
    sessionsOf(principal: Parameters<typeof runtime.engine.sessionsOf>[0]) {
      const sessions = runtime.engine.sessionsOf(principal)
      return {
        ...sessions,
        async listSessions(...asked: Parameters<typeof sessions.listSessions>) {
          listings += 1
          await released
          return sessions.listSessions(...asked)
        },
      }
    },
  }
  const logger = { ...options.logger, error: (facts: object) => void logged.push(facts) }
  const host = createLocalHost({ runtime: { ...runtime, engine }, dataDir: options.dataDir, logger })
  await expect.poll(() => listings).toBe(1)
  let isClosed = false
  const closed = host.close().then(() => {
    isClosed = true
  })
  await setImmediate()
  expect(isClosed).toBe(false)
  release()
  await closed
  await runtime.close()
  expect(logged).toEqual([])
  expect(listings).toBe(1)
})
