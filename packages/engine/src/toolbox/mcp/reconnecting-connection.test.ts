import { expect, it } from 'vitest'
import {
  createReconnectingConnection,
  type Link,
  type ReconnectingConnectionOptions,
} from './reconnecting-connection.ts'

const never = new AbortController().signal

const aLink = (): Link => ({
  connection: {
    tools: [],
    isOpen: () => true,
    isAnswering: async () => true,
    call: () => Promise.reject(new Error('not called')),
    close: async () => undefined,
  },
  ended: async () => null,
})

function keep(connect: ReconnectingConnectionOptions['connect']) {
  const told: string[] = []
  const onStatus = (status: string) => void told.push(status)
  return {
    told,
    reconnecting: createReconnectingConnection({ connect, onStatus, blank: (text) => text, pausesMs: [1, 1] }),
  }
}

it('what is told late of a connection that was lost does not fell the one after it', async () => {
  const losses: ((how: Promise<string | null>) => void)[] = []
  const { reconnecting, told } = keep(async (onLost) => {
    losses.push(onLost)
    return aLink()
  })
  await reconnecting.open(never)
  const first = await reconnecting.reach()
  losses[0]?.(Promise.resolve('it fell'))
  const second = await reconnecting.reach()
  expect(second).not.toBe(first)
  losses[0]?.(Promise.resolve('it fell, once more'))
  expect(await reconnecting.reach()).toBe(second)
  expect(told).toEqual(['connecting', 'connected', 'restarting', 'connected'])
})

it('a try that is under way is called off when the session ends', async () => {
  let tries = 0
  const { reconnecting } = keep((_, signal) => {
    tries += 1
    if (tries === 1) return Promise.resolve(aLink())
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  await reconnecting.open(never)
  const link = await reconnecting.reach()
  if (link !== null) reconnecting.connectionLost(link, Promise.resolve(null))
  await expect.poll(() => tries).toBe(2)
  await reconnecting.close()
})
