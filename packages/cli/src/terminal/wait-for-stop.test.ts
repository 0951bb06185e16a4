import { expect, it } from 'vitest'
import { waitForStop } from './wait-for-stop.ts'

function open(env: Readonly<Record<string, string>> = {}) {
  let time = 0
  const listeners: (() => void)[] = []
  const signals: string[] = []
  const stop = waitForStop(
    {
      env,
      onSignal: (signal, listener) => {
        signals.push(signal)
        listeners.push(listener)
        return () => undefined
      },
    },
    () => time,
  )
  const reached: string[] = []
  void stop.first.then(() => reached.push('first'))
  void stop.second.then(() => reached.push('second'))
  const signalAt = async (at: number) => {
    time = at
    listeners[0]?.()
    await Promise.resolve()
  }
  return { signalAt, reached, signals }
}

it('resolves at SIGINT, SIGTERM and SIGHUP', () => {
  expect(open().signals.sort()).toEqual(['SIGHUP', 'SIGINT', 'SIGTERM'])
})

it('counts a signal and its echo as one', async () => {
  const { signalAt, reached } = open()
  await signalAt(1000)
  await signalAt(1100)
  expect(reached).toEqual(['first'])
  await signalAt(2000)
  expect(reached).toEqual(['first', 'second'])
})

it('resolves `second` when the signal keeps coming', async () => {
  const { signalAt, reached } = open()
  for (const at of [1000, 1300, 1600]) await signalAt(at)
  expect(reached).toEqual(['first', 'second'])
})

it('treats a late signal from npm as an echo, and counts the next one', async () => {
  const { signalAt, reached } = open({ npm_lifecycle_event: 'start' })
  await signalAt(1000)
  await signalAt(4000)
  expect(reached).toEqual(['first'])
  await signalAt(4500)
  expect(reached).toEqual(['first', 'second'])
})

it('stops waiting for an echo, because a signal sent only to npm has none', async () => {
  const { signalAt, reached } = open({ npm_lifecycle_event: 'start' })
  await signalAt(1000)
  await signalAt(12_000)
  expect(reached).toEqual(['first', 'second'])
})
