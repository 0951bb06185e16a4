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

it('hears Ctrl-C, a request to stop and a terminal that is closed', () => {
  expect(open().signals.sort()).toEqual(['SIGHUP', 'SIGINT', 'SIGTERM'])
})

it('takes a signal and its echo for one', async () => {
  const { signalAt, reached } = open()
  await signalAt(1000)
  await signalAt(1100)
  expect(reached).toEqual(['first'])
  await signalAt(2000)
  expect(reached).toEqual(['first', 'second'])
})

it('hears somebody who presses on and on', async () => {
  const { signalAt, reached } = open()
  for (const at of [1000, 1300, 1600]) await signalAt(at)
  expect(reached).toEqual(['first', 'second'])
})

it('takes what npm hands on for an echo, however late a busy machine lets it come, and hears the next one', async () => {
  const { signalAt, reached } = open({ npm_lifecycle_event: 'start' })
  await signalAt(1000)
  await signalAt(4000)
  expect(reached).toEqual(['first'])
  await signalAt(4500)
  expect(reached).toEqual(['first', 'second'])
})

it('does not wait for an echo for ever: one that npm alone was sent has none', async () => {
  const { signalAt, reached } = open({ npm_lifecycle_event: 'start' })
  await signalAt(1000)
  await signalAt(12_000)
  expect(reached).toEqual(['first', 'second'])
})
