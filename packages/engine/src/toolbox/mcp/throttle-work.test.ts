import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { throttleWork } from './throttle-work.ts'

/** Work and pauses that the test ends. */
function open() {
  const begun: (() => void)[] = []
  const pauses: { ms: number; end: () => void }[] = []
  const closing = new AbortController()
  const ask = throttleWork({
    work: () => new Promise((resolve) => void begun.push(resolve)),
    pause: (ms) => new Promise<void>((end) => void pauses.push({ ms, end })),
    signal: closing.signal,
  })
  const rested = async () => {
    begun.at(-1)?.()
    await setImmediate()
    pauses.at(-1)?.end()
    await setImmediate()
  }
  return { ask, begun, pauses, rested, close: () => closing.abort() }
}

it('runs once and is queued once, however often it is requested, and callers do not wait', async () => {
  const { ask, begun, rested } = open()
  for (let times = 0; times < 10_000; times += 1) expect(ask()).toBeUndefined()
  expect(begun).toHaveLength(1)
  await rested()
  expect(begun).toHaveLength(2)
  await rested()
  expect(begun).toHaveLength(2)
})

it('pauses longer the more often it is requested, and runs at once again after a quiet period', async () => {
  const { ask, begun, pauses, rested } = open()
  ask()
  for (let times = 0; times < 10; times += 1) {
    ask()
    await rested()
  }
  expect(pauses.map(({ ms }) => ms)).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  await rested()
  await rested()
  const before = begun.length
  ask()
  expect(begun).toHaveLength(before + 1)
  await rested()
  expect(pauses.at(-1)?.ms).toBe(250)
})

it('starts nothing after it is aborted', async () => {
  const { ask, begun, rested, close } = open()
  ask()
  ask()
  close()
  await rested()
  expect(begun).toHaveLength(1)
})
