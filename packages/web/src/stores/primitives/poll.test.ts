import { expect, it, vi } from 'vitest'
import { poll } from './poll.ts'

const patience = { timeout: 60_000, interval: 5 }

it('runs at once and at each interval until it is stopped', async () => {
  let rounds = 0
  const stop = poll(
    async () => {
      rounds += 1
    },
    { everyMs: 1 },
  )
  expect(rounds).toBe(1)
  await vi.waitFor(() => expect(rounds).toBeGreaterThan(3), patience)
  stop()
  const before = rounds
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(rounds).toBe(before)
})

it('does not run while the page is hidden, and runs at once when it becomes visible', () => {
  let isVisible = false
  let rounds = 0
  let tell: () => void = () => undefined
  const stop = poll(
    async () => {
      rounds += 1
    },
    {
      everyMs: 60_000,
      isVisible: () => isVisible,
      onVisibility: (listener) => {
        tell = listener
        return () => undefined
      },
    },
  )
  expect(rounds).toBe(0)
  isVisible = true
  tell()
  expect(rounds).toBe(1)
  stop()
})

it('never runs two rounds at the same time', async () => {
  let running = 0
  let most = 0
  let finish: () => void = () => undefined
  let tell: () => void = () => undefined
  const stop = poll(
    async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      running -= 1
    },
    {
      everyMs: 1,
      onVisibility: (listener) => {
        tell = listener
        return () => undefined
      },
    },
  )
  tell()
  tell()
  finish()
  expect(most).toBe(1)
  stop()
})
