import { expect, it } from 'vitest'
import { createRequestWindow } from './request-window.ts'

function open(limit: number) {
  let at = 1_000_000
  const window = createRequestWindow({ limit, windowMs: 60_000 }, () => at)
  const wait = (ms: number) => {
    at += ms
  }
  return { take: window.take, wait }
}

it('accepts a full window at once, and says when the next request is accepted', () => {
  const { take, wait } = open(3)
  expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 60_000])
  wait(59_999)
  expect(take()).toBe(1)
  wait(1)
  expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 60_000])
})

it('never accepts more within any minute', () => {
  const { take, wait } = open(10)
  const times: number[] = []
  for (let second = 0; second < 600; second += 1) {
    for (let attempt = 0; attempt < 3; attempt += 1) if (take() === 0) times.push(second)
    wait(1000)
  }
  expect(times.length).toBe(100)
  for (const start of times) {
    expect(times.filter((time) => time >= start && time < start + 60).length).toBeLessThanOrEqual(10)
  }
})

it('blocks for at most a minute when the clock is set back', () => {
  const { take, wait } = open(1)
  expect(take()).toBe(0)
  wait(-3_600_000)
  expect(take()).toBe(60_000)
})
