import { existsSync } from 'node:fs'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionId } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentBackend } from '../../backends/backend.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import { silentLogger } from '../../ports/logger.ts'
import { claudeSettings } from '../../testing/agent-definition.fixture.ts'
import { createRetention } from '../runtime/retention.ts'
import { refusedWith, rests, stall, stateOf, textStep } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

async function openRuntime(mode: 'shared' | 'copy' = 'shared') {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-remove-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'a.txt'), 'a')
  const forgotten: SessionId[] = []
  const ended: string[] = []
  const scripted = createScriptedBackend({
    script: (input) => [input === 'stall' ? stall : textStep(`You said: ${input}`)],
  })
  const backend: AgentBackend = {
    ...scripted,
    async createSession(options) {
      const session = await scripted.createSession(options)
      return {
        ...session,
        close: async () => {
          ended.push(options.sessionId)
          await session.close()
        },
      }
    },
    forget: async (sessionId) => void forgotten.push(sessionId),
  }
  const runtime = await openTestRuntime({ backend, agent: { claude: claudeSettings(folder), workspace: { mode } } })
  return { runtime, folder, forgotten, ended }
}

describe('deleting a session', () => {
  it('ends its process and leaves nothing except its costs', async () => {
    const { runtime, forgotten, ended } = await openRuntime()
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    const { seq } = await stateOf(runtime, sessionId)
    const from = { sessionId, after: seq, signal: new AbortController().signal }
    const reading = runtime.sessions.feed(from, { take: () => true, drained: async () => {} })
    const reported = refusedWith(reading, 'session.not-found')
    await expect.poll(() => runtime.bus.listenerCount()).toBe(1)
    expect(await runtime.sessions.deleteSession(sessionId, 'ben')).toEqual({ sessionId, appliedSeq: seq })
    await reported
    expect(runtime.bus.listenerCount()).toBe(0)
    expect(ended).toEqual([sessionId])
    expect(forgotten).toEqual([sessionId])
    expect(await runtime.log(sessionId)).toEqual([])
    await refusedWith(runtime.sessions.getSession(sessionId), 'session.not-found')
    await refusedWith(runtime.sessions.sendMessage(sessionId, { content: 'hello?' }, 'ana'), 'session.not-found')
    await refusedWith(runtime.sessions.deleteSession(sessionId, 'ben'), 'session.not-found')
  })

  it('removes a copy of a workspace and never a shared one', async () => {
    const copied = await openRuntime('copy')
    const one = await copied.runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    const { cwd } = await stateOf(copied.runtime, one.sessionId)
    expect(existsSync(join(cwd, 'a.txt'))).toBe(true)
    await copied.runtime.sessions.deleteSession(one.sessionId, 'ana')
    expect(existsSync(cwd)).toBe(false)
    expect(existsSync(join(copied.folder, 'a.txt'))).toBe(true)

    const shared = await openRuntime('shared')
    const two = await shared.runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    await shared.runtime.sessions.deleteSession(two.sessionId, 'ana')
    expect(existsSync(join(shared.folder, 'a.txt'))).toBe(true)
  })

  it('is refused while a turn runs, and works for a closed session', async () => {
    const { runtime } = await openRuntime()
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'stall' }, 'ana')
    await rests(runtime, sessionId, 'running')
    await refusedWith(runtime.sessions.deleteSession(sessionId, 'ana'), 'session.busy')
    await runtime.sessions.cancel(sessionId, 'ana')
    await rests(runtime, sessionId, 'cancelled')
    await runtime.sessions.deleteSession(sessionId, 'ana')
    expect(await runtime.log(sessionId)).toEqual([])
  })

  it('leaves the files of a fork', async () => {
    const { runtime } = await openRuntime()
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    const fork = await runtime.sessions.fork(sessionId, { message: 'two' }, 'ana')
    await rests(runtime, fork.sessionId, 'idle')
    await runtime.sessions.deleteSession(sessionId, 'ana')
    const { messages } = await runtime.sessions.history(fork.sessionId)
    expect(messages.map(({ content }) => content)).toEqual(['two', 'You said: two'])
  })
})

describe('retention', () => {
  it('deletes closed and archived sessions that are old enough, and no others', async () => {
    const { runtime } = await openRuntime()
    const { sessions } = runtime
    const make = async () => (await sessions.createSession({ agent: 'tester' }, 'ana')).sessionId
    const [closed, cancelled, archived, idle] = [await make(), await make(), await make(), await make()]
    await sessions.close(closed, 'ana')
    await sessions.cancel(cancelled, 'ana')
    await sessions.changeSession(archived, { isArchived: true }, 'ana')
    const hour = 3_600_000
    const retentionAt = (hoursFromNow: number) =>
      createRetention({
        store: runtime.store,
        sessions: sessions,
        logger: silentLogger,
        deleteAfterMs: hour,
        clock: { now: () => new Date(Date.now() + hoursFromNow * hour) },
      })
    expect(await retentionAt(0.5).sweep()).toBe(0)
    expect(await retentionAt(2).sweep()).toBe(3)
    expect((await sessions.listSessions({ archived: 'all' })).sessions.map(({ sessionId }) => sessionId)).toEqual([
      idle,
    ])
  })

  it('deletes nothing for a day after the system time jumped forwards, and continues once the time is corrected', async () => {
    const { runtime } = await openRuntime()
    const { sessions } = runtime
    const { sessionId } = await sessions.createSession({ agent: 'tester' }, 'ana')
    await sessions.close(sessionId, 'ana')
    const hour = 3_600_000
    const time = { passedMs: 0, setBy: 0 }
    const startedAt = Date.now()
    const retention = createRetention({
      store: runtime.store,
      sessions: sessions,
      logger: silentLogger,
      deleteAfterMs: 30 * 24 * hour,
      clock: { now: () => new Date(startedAt + time.passedMs + time.setBy) },
      monotonicMs: () => time.passedMs,
    })
    const later = (hours: number) => {
      time.passedMs += hours * hour
      return retention.sweep()
    }
    expect(await later(1)).toBe(0)
    time.setBy = 365 * 24 * hour
    expect(await later(1)).toBe(0)
    expect(await later(23)).toBe(0)
    time.setBy = 0
    expect(await later(1)).toBe(0)
    time.setBy = -365 * 24 * hour
    expect(await later(1)).toBe(0)
    time.setBy = 0
    expect(await later(1)).toBe(0)
    expect((await sessions.listSessions({})).sessions).toHaveLength(1)
    expect(await later(23)).toBe(0)
    expect(await later(2)).toBe(0)
    // Thirty days pass on both clocks.
    expect(await later(30 * 24)).toBe(1)
  })

  it('accepts the new system time one day after a jump', async () => {
    const { runtime } = await openRuntime()
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    await runtime.sessions.close(sessionId, 'ana')
    const hour = 3_600_000
    const time = { passedMs: 0, setBy: 0 }
    const startedAt = Date.now()
    const retention = createRetention({
      store: runtime.store,
      sessions: runtime.sessions,
      logger: silentLogger,
      deleteAfterMs: 30 * 24 * hour,
      clock: { now: () => new Date(startedAt + time.passedMs + time.setBy) },
      monotonicMs: () => time.passedMs,
    })
    time.setBy = 365 * 24 * hour
    expect(await retention.sweep()).toBe(0)
    time.passedMs = 25 * hour
    expect(await retention.sweep()).toBe(1)
  })

  it('keeps an archived session that still runs, and deletes it in a later run', async () => {
    const { runtime } = await openRuntime()
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'stall' }, 'ana')
    await rests(runtime, sessionId, 'running')
    await runtime.sessions.changeSession(sessionId, { isArchived: true }, 'ana')
    const newRetention = () =>
      createRetention({
        store: runtime.store,
        sessions: runtime.sessions,
        logger: silentLogger,
        deleteAfterMs: 1000,
        clock: { now: () => new Date(Date.now() + 60_000) },
      })
    const stop = newRetention().start()
    await stop()
    const retention = newRetention()
    expect(await retention.sweep()).toBe(0)
    expect((await stateOf(runtime, sessionId)).status).toBe('running')

    await runtime.sessions.cancel(sessionId, 'ana')
    await rests(runtime, sessionId, 'cancelled')
    expect(await retention.sweep()).toBe(1)
  })
})
