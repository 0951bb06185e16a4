import { describe, expect, it } from 'vitest'
import type { OpenBackend } from './agent-process.ts'
import { type AgentProcess, createAgentProcess } from './agent-process.ts'

const backend = {} as OpenBackend // only its identity matters

function opening(): { process: AgentProcess; opened: (result: OpenBackend) => void; failed: (error: Error) => void } {
  const process = createAgentProcess()
  let [opened, failed]: [(result: OpenBackend) => void, (error: Error) => void] = [() => undefined, () => undefined]
  process.beginOpening(
    new Promise((resolve, reject) => {
      opened = resolve
      failed = reject
    }),
  )
  return { process, opened, failed }
}

function open(): AgentProcess {
  const { process } = opening()
  process.becomeOpen(backend, { isStarted: false })
  return process
}

describe('the process of a session', () => {
  it('goes from none through opening and open to closing, and to none again', async () => {
    const { process } = opening()
    expect(process.phase().type).toBe('opening')
    expect(process.backend()).toBeNull()
    process.becomeOpen(backend, { isStarted: false })
    expect(process.phase()).toEqual({ type: 'open', backend, isStarted: false })
    const ended: (OpenBackend | null)[] = []
    const closed = process.close(async (one) => void ended.push(one))
    expect(process.phase().type).toBe('closing')
    expect(process.backend()).toBeNull()
    await closed
    expect(ended).toEqual([backend])
    expect(process.phase().type).toBe('none')
  })

  it('is none after an opening that failed', () => {
    const { process } = opening()
    process.failOpening()
    expect(process.phase().type).toBe('none')
  })

  it('refuses a second opening, and the end of an opening that never began', () => {
    const pending = new Promise<OpenBackend>(() => undefined)
    expect(() => open().beginOpening(pending)).toThrow('cannot open the process: it is in phase open')
    expect(() => opening().process.beginOpening(pending)).toThrow('it is in phase opening')
    expect(() => createAgentProcess().becomeOpen(backend, { isStarted: false })).toThrow('it is in phase none')
    expect(() => open().becomeOpen(backend, { isStarted: false })).toThrow('it is in phase open')
    expect(() => createAgentProcess().failOpening()).toThrow('it is in phase none')
    expect(() => open().failOpening()).toThrow('it is in phase open')
  })

  it('ends a process that is closed while it opens', async () => {
    const { process, opened } = opening()
    const ended: (OpenBackend | null)[] = []
    const closed = process.close(async (one) => void ended.push(one))
    process.becomeOpen(backend, { isStarted: true })
    expect(process.phase().type).toBe('closing')
    opened(backend)
    await closed
    expect(ended).toEqual([backend])
    expect(process.phase().type).toBe('none')
  })

  it('has nothing to end when the opening it waits for fails', async () => {
    const { process, failed } = opening()
    const ended: (OpenBackend | null)[] = []
    const closed = process.close(async (one) => void ended.push(one))
    process.failOpening()
    failed(new Error('no such program'))
    await closed
    expect(ended).toEqual([null])
  })

  it('ends a process once when it is closed twice', async () => {
    const process = open()
    const ended: (OpenBackend | null)[] = []
    const end = async (one: OpenBackend | null) => void ended.push(one)
    await Promise.all([process.close(end), process.close(end)])
    expect(ended).toEqual([backend, null])
    expect(process.phase().type).toBe('none')
  })

  it('opens the next process while the previous one leaves', async () => {
    const process = open()
    const closed = process.close(async () => undefined)
    process.beginOpening(Promise.resolve(backend))
    await closed
    expect(process.phase().type).toBe('opening')
  })

  it('is started once, and only while it is the open process', () => {
    const process = open()
    expect(process.markStarted({ ...backend })).toBe(false)
    expect(process.isStarted()).toBe(false)
    expect(process.markStarted(backend)).toBe(true)
    expect(process.isStarted()).toBe(true)
    expect(process.markStarted(backend)).toBe(false)
    expect(createAgentProcess().markStarted(backend)).toBe(false)
  })

  it('is unused again when every user has given it back, and rests since then', async () => {
    const process = createAgentProcess()
    const [first, second] = [process.retain(), process.retain()]
    const since = process.restingSince()
    await new Promise((resolve) => setTimeout(resolve, 5))
    first()
    expect(process.isUnused()).toBe(false)
    second()
    expect(process.isUnused()).toBe(true)
    expect(process.restingSince()).toBeGreaterThan(since)
  })
})
