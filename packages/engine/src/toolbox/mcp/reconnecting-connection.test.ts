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

function open(connect: ReconnectingConnectionOptions['connect']) {
  const statuses: string[] = []
  const onStatus = (status: string) => void statuses.push(status)
  return {
    statuses,
    reconnecting: createReconnectingConnection({ connect, onStatus, removeSecrets: (text) => text, pausesMs: [1, 1] }),
  }
}

it('ignores late news of a lost connection after it has reconnected', async () => {
  const losses: ((how: Promise<string | null>) => void)[] = []
  const { reconnecting, statuses } = open(async (onLost) => {
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
  expect(statuses).toEqual(['connecting', 'connected', 'restarting', 'connected'])
})

it('cancels a running attempt when the session ends', async () => {
  let tries = 0
  const { reconnecting } = open((_, signal) => {
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
