import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { endOfGroup } from './end-of-group.mjs'

const forEver = 3_600_000

/** A child that reports SIGINT and then exits, unless it is stubborn. */
async function startChild(isStubborn: boolean): Promise<ChildProcess> {
  const onSignal = `process.on('SIGINT', () => { console.log('stopping'); ${isStubborn ? '' : 'process.exit(7)'} })`
  const child = spawn(process.execPath, ['-e', `${onSignal}; setInterval(() => {}, 1000); console.log('ready')`], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (child.stdout !== null) await once(child.stdout, 'data')
  return child
}

const bounds = (change: object = {}) => {
  const stopping = new AbortController()
  const killing = new AbortController()
  const times = { boundMs: forEver, graceMs: forEver, ...change }
  return { stopping, killing, bounds: { ...times, stop: stopping.signal, kill: killing.signal } }
}

it('sends SIGINT when it is stopped, and reports that the time limit was not the reason', async () => {
  const { stopping, bounds: given } = bounds()
  const end = endOfGroup(await startChild(false), given)
  stopping.abort()
  expect(await end).toEqual({ code: 7, isOutOfTime: false, isStopped: true })
})

it('waits for a stubborn child for a grace period after the stop', async () => {
  const { stopping, bounds: given } = bounds({ graceMs: 50 })
  const child = await startChild(true)
  const end = endOfGroup(child, given)
  stopping.abort()
  expect(await end).toEqual({ code: 1, isOutOfTime: false, isStopped: true })
  expect(child.signalCode).toBe('SIGKILL')
})

it('kills the child at the second signal', async () => {
  const { stopping, killing, bounds: given } = bounds()
  const child = await startChild(true)
  const end = endOfGroup(child, given)
  stopping.abort()
  if (child.stdout !== null) await once(child.stdout, 'data')
  killing.abort()
  expect(await end).toMatchObject({ isStopped: true })
  expect(child.signalCode).toBe('SIGKILL')
})

it('ends a child at its time limit, and one that was stopped before it started', async () => {
  const { bounds: short } = bounds({ boundMs: 1 })
  expect(await endOfGroup(await startChild(false), short)).toEqual({ code: 7, isOutOfTime: true, isStopped: false })
  const { stopping, bounds: given } = bounds()
  stopping.abort()
  expect(await endOfGroup(await startChild(false), given)).toEqual({ code: 7, isOutOfTime: false, isStopped: true })
})
