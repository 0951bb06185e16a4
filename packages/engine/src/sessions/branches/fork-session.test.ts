import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventType, QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentBackend } from '../../backends/backend.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Script } from '../../backends/scripted/script.ts'
import { dataFolders } from '../../system/data-folders.ts'
import { claudeSettings } from '../../testing/agent-definition.fixture.ts'
import { beforeAppend, openTestStore } from '../../testing/test-store.fixture.ts'
import {
  answersOf,
  eventsOf,
  refusedWith,
  rests,
  stall,
  stateOf,
  type TestRuntime,
  textStep,
} from '../testing/lifecycle.fixture.ts'
import { openTestRuntime, type TestRuntimeOptions } from '../testing/test-runtime.fixture.ts'

/** Repeats the earlier messages, so that a fork shows what it knows. */
const remembers: Script = (input, _, earlier) => [textStep(`${input} after [${earlier.join(' ')}]`)]

async function runtimeWith(messages: readonly string[], options: Partial<TestRuntimeOptions> = {}) {
  const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: remembers }), ...options })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', title: 'Original', tags: ['a'] }, 'ana')
  for (const content of messages) {
    await runtime.sessions.sendMessage(sessionId, { content }, 'ana')
    await rests(runtime, sessionId, 'idle')
  }
  return { runtime, sessionId }
}

const seqOf = async (runtime: TestRuntime, sessionId: SessionId, [type, index]: readonly [EventType, number]) =>
  (await eventsOf(runtime, sessionId, type))[index]?.seq ?? 0

const historyOf = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await runtime.sessions.history(sessionId)).messages.map(({ content }) => content)

describe('a fork', () => {
  it('reports a partial history once its source is deleted', async () => {
    const { runtime, sessionId } = await runtimeWith(['one'])
    const fork = await runtime.sessions.fork(sessionId, { message: 'two' }, 'ben')
    await rests(runtime, fork.sessionId, 'idle')
    expect(await runtime.sessions.history(fork.sessionId)).toMatchObject({ isPartial: false })
    await runtime.sessions.deleteSession(sessionId, 'ana')
    expect(await runtime.sessions.history(fork.sessionId)).toMatchObject({ isPartial: true })
    expect(await historyOf(runtime, fork.sessionId)).toEqual(['two', 'two after [one]'])
  })

  it('knows the whole conversation and continues separately', async () => {
    const { runtime, sessionId } = await runtimeWith(['one', 'two'])
    const fork = await runtime.sessions.fork(sessionId, { message: 'three' }, 'ben')
    await rests(runtime, fork.sessionId, 'idle')
    expect(await answersOf(runtime, fork.sessionId)).toEqual(['three after [one two]'])
    await runtime.sessions.sendMessage(sessionId, { content: 'other' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect((await answersOf(runtime, sessionId)).at(-1)).toBe('other after [one two]')
  })

  it('is recorded in both logs and takes over the settings of its source, but not the owner', async () => {
    const { runtime, sessionId } = await runtimeWith(['one'])
    await runtime.sessions.changeSession(
      sessionId,
      { model: 'low', permissionMode: 'plan', limits: { maxTurns: 7 } },
      'ana',
    )
    const before = await stateOf(runtime, sessionId)
    const fork = await runtime.sessions.fork(sessionId, {}, 'ben')
    const { model, permissionMode, limits, thinking, cwd, mode, agentName, tags } = before
    expect(await stateOf(runtime, fork.sessionId)).toMatchObject({
      model,
      permissionMode,
      limits,
      thinking,
      cwd,
      mode,
      agentName,
      tags,
      owner: 'ben',
      status: 'idle',
      title: 'Original (fork)',
      forkedFrom: { sessionId, seq: before.seq },
      rules: [],
      costUsd: 0,
    })
    expect(await eventsOf(runtime, sessionId, 'AgentSessionForked')).toMatchObject([
      { data: { toSessionId: fork.sessionId, seq: before.seq, by: 'ben' } },
    ])
  })

  it('at a message of the agent keeps that message and nothing after it', async () => {
    const { runtime, sessionId } = await runtimeWith(['one', 'two'])
    const at = await seqOf(runtime, sessionId, ['AgentThought', 0])
    const fork = await runtime.sessions.fork(sessionId, { at, message: 'three', title: 'Mine' }, 'ana')
    await rests(runtime, fork.sessionId, 'idle')
    expect(await answersOf(runtime, fork.sessionId)).toEqual(['three after [one]'])
    expect((await stateOf(runtime, fork.sessionId)).title).toBe('Mine')
    expect(await historyOf(runtime, fork.sessionId)).toEqual(['one', 'one after []', 'three', 'three after [one]'])
  })

  it.each(['UserMessageQueued', 'UserMessageDelivered'] as const)(
    'at a message of a person (%s) ends before it and answers it again',
    async (type) => {
      const { runtime, sessionId } = await runtimeWith(['one', 'two', 'three'])
      const at = await seqOf(runtime, sessionId, [type, 1])
      const fork = await runtime.sessions.fork(sessionId, { at }, 'ana')
      await rests(runtime, fork.sessionId, 'idle')
      expect(await answersOf(runtime, fork.sessionId)).toEqual(['two after [one]'])
      expect(await historyOf(runtime, fork.sessionId)).toEqual(['one', 'one after []', 'two', 'two after [one]'])
    },
  )

  it("takes another text in place of a person's message", async () => {
    const { runtime, sessionId } = await runtimeWith(['one', 'two'])
    const at = await seqOf(runtime, sessionId, ['UserMessageDelivered', 0])
    const fork = await runtime.sessions.fork(sessionId, { at, message: 'eins' }, 'ana')
    await rests(runtime, fork.sessionId, 'idle')
    expect(await answersOf(runtime, fork.sessionId)).toEqual(['eins after []'])
  })

  it('can be forked, with the whole chain in its history', async () => {
    const { runtime, sessionId } = await runtimeWith(['one'])
    const first = await runtime.sessions.fork(sessionId, { message: 'two' }, 'ana')
    await rests(runtime, first.sessionId, 'idle')
    const second = await runtime.sessions.fork(first.sessionId, { message: 'three' }, 'ana')
    await rests(runtime, second.sessionId, 'idle')
    expect(await answersOf(runtime, second.sessionId)).toEqual(['three after [one two]'])
    expect((await historyOf(runtime, second.sessionId)).slice(0, 3)).toEqual(['one', 'one after []', 'two'])
  })

  it('can be made of a closed session and of one without messages', async () => {
    const { runtime, sessionId } = await runtimeWith(['one'])
    await runtime.sessions.close(sessionId, 'ana')
    const fork = await runtime.sessions.fork(sessionId, { message: 'two' }, 'ana')
    await rests(runtime, fork.sessionId, 'idle')
    expect(await answersOf(runtime, fork.sessionId)).toEqual(['two after [one]'])
    const empty = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    const other = await runtime.sessions.fork(empty.sessionId, { message: 'hello' }, 'ana')
    await rests(runtime, other.sessionId, 'idle')
    expect(await answersOf(runtime, other.sessionId)).toEqual(['hello after []'])
  })

  it('is the same one when requested again with the same seed', async () => {
    const { runtime, sessionId } = await runtimeWith(['one'])
    const body = { message: 'two' }
    const first = await runtime.sessions.fork(sessionId, body, 'ana', 'seed-1')
    await rests(runtime, first.sessionId, 'idle')
    const again = await runtime.sessions.fork(sessionId, body, 'ana', 'seed-1')
    expect(again.sessionId).toBe(first.sessionId)
    await rests(runtime, first.sessionId, 'idle')
    expect(await answersOf(runtime, first.sessionId)).toHaveLength(1)
    expect(await eventsOf(runtime, sessionId, 'AgentSessionForked')).toHaveLength(1)
  })

  it('is recorded in its source even when the first attempt died before that', async () => {
    let isBroken = true
    const store = beforeAppend(await openTestStore(), (drafts) => {
      if (isBroken && drafts.some(({ type }) => type === 'AgentSessionForked')) throw new Error('pulled the plug')
    })
    const { runtime, sessionId } = await runtimeWith(['one'], { store })
    await expect(runtime.sessions.fork(sessionId, {}, 'ben', 'seed-1')).rejects.toThrow('pulled the plug')
    isBroken = false
    const fork = await runtime.sessions.fork(sessionId, {}, 'ben', 'seed-1')
    expect((await runtime.sessions.listSessions({})).sessions).toHaveLength(2)
    expect(await eventsOf(runtime, sessionId, 'AgentSessionForked')).toMatchObject([
      { data: { toSessionId: fork.sessionId, by: 'ben' } },
    ])
  })

  it('is refused while a turn runs', async () => {
    const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: [[stall]] }) })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'one' }, 'ana')
    await rests(runtime, sessionId, 'running')
    await refusedWith(runtime.sessions.fork(sessionId, {}, 'ana'), 'session.busy')
  })

  it('is refused at an event that is not a message, and at an undelivered message', async () => {
    const { runtime, sessionId } = await runtimeWith(['one'])
    const at = await seqOf(runtime, sessionId, ['TurnStarted', 0])
    await refusedWith(runtime.sessions.fork(sessionId, { at }, 'ana'), 'rewind.unavailable')
    await refusedWith(runtime.sessions.fork(sessionId, { at: 9999 }, 'ana'), 'rewind.unavailable')
    await runtime.sessions.pause(sessionId, 'ana')
    const { appliedSeq } = await runtime.sessions.sendMessage(sessionId, { content: 'waits' }, 'ana')
    await refusedWith(runtime.sessions.fork(sessionId, { at: appliedSeq }, 'ana'), 'rewind.unavailable')
    await refusedWith(runtime.sessions.fork('ses_nothere' as SessionId, {}, 'ana'), 'session.not-found')
  })
})

describe('a fork of a session that is closed meanwhile', () => {
  /** Opens once. */
  function gate() {
    let open: () => void = () => undefined
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    return { open, opened }
  }

  /** The fork exists with its message, both logs record it, and no process holds the source. */
  async function expectWhole(runtime: TestRuntime, sessionId: SessionId, forkId: SessionId) {
    await rests(runtime, forkId, 'idle')
    expect(await answersOf(runtime, forkId)).toEqual(['two after [one]'])
    expect(await eventsOf(runtime, sessionId, 'AgentSessionForked')).toMatchObject([{ data: { toSessionId: forkId } }])
    expect(await runtime.store.holderOf(sessionId)).toBeNull()
  }

  it.each(['close', 'cancel'] as const)('is still made when its source changes after the %s', async (end) => {
    const scripted = createScriptedBackend({ script: remembers })
    const [began, mayEnd] = [gate(), gate()]
    const branch: AgentBackend['branch'] = async (branchRequest) => {
      began.open()
      await mayEnd.opened
      return scripted.branch(branchRequest)
    }
    const { runtime, sessionId } = await runtimeWith(['one'], { backend: { ...scripted, branch } })
    const forking = runtime.sessions.fork(sessionId, { message: 'two' }, 'ben')
    await began.opened
    await runtime.sessions[end](sessionId, 'ana')
    await runtime.sessions.changeSession(sessionId, { title: 'Later' }, 'ana')
    mayEnd.open()
    await expectWhole(runtime, sessionId, (await forking).sessionId)
  })

  it('is still made when it begins while the process is ending', async () => {
    const scripted = createScriptedBackend({ script: remembers })
    const [closes, mayClose, began, mayEnd] = [gate(), gate(), gate(), gate()]
    const createSession: AgentBackend['createSession'] = async (options) => {
      const session = await scripted.createSession(options)
      const close = async () => {
        closes.open()
        await mayClose.opened
        await session.close()
      }
      return { ...session, close }
    }
    const branch: AgentBackend['branch'] = async (branchRequest) => {
      began.open()
      await mayEnd.opened
      return scripted.branch(branchRequest)
    }
    const { runtime, sessionId } = await runtimeWith(['one'], { backend: { ...scripted, createSession, branch } })
    const closing = runtime.sessions.close(sessionId, 'ana')
    await closes.opened
    const forking = runtime.sessions.fork(sessionId, { message: 'two' }, 'ben')
    await began.opened
    mayClose.open()
    await closing
    await runtime.sessions.changeSession(sessionId, { title: 'Later' }, 'ana')
    mayEnd.open()
    await expectWhole(runtime, sessionId, (await forking).sessionId)
  })
})

describe('the workspace of a fork', () => {
  async function project(): Promise<string> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-project-')))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await mkdir(join(folder, 'src'))
    await writeFile(join(folder, 'src', 'a.txt'), 'as it was')
    return folder
  }

  it('is the same shared folder', async () => {
    const folder = await project()
    const { runtime, sessionId } = await runtimeWith([], { agent: { claude: claudeSettings(folder) } })
    const fork = await runtime.sessions.fork(sessionId, {}, 'ana')
    expect((await stateOf(runtime, fork.sessionId)).cwd).toBe(folder)
  })

  it("is a copy of the source's copy as it is now", async () => {
    const folder = await project()
    const agent = { claude: claudeSettings(folder), workspace: { mode: 'copy' } } as const
    const { runtime, sessionId } = await runtimeWith([], { agent })
    const source = (await stateOf(runtime, sessionId)).cwd
    await writeFile(join(source, 'src', 'a.txt'), 'as it is')
    const fork = await runtime.sessions.fork(sessionId, {}, 'ana')
    const { cwd } = await stateOf(runtime, fork.sessionId)
    expect(cwd).not.toBe(source)
    expect(await readFile(join(cwd, 'src', 'a.txt'), 'utf8')).toBe('as it is')
    await writeFile(join(cwd, 'src', 'a.txt'), 'of the fork')
    expect(await readFile(join(source, 'src', 'a.txt'), 'utf8')).toBe('as it is')
    expect(await readFile(join(folder, 'src', 'a.txt'), 'utf8')).toBe('as it was')
  })

  /** A session with its own copy, and a fork of it that fails. */
  async function failedFork(options: Partial<TestRuntimeOptions>, branch: AgentBackend['branch'] | null = null) {
    const scripted = createScriptedBackend({ script: remembers })
    const forgotten: SessionId[] = []
    const forget: AgentBackend['forget'] = async (sessionId) => void forgotten.push(sessionId)
    const backend = { ...scripted, forget, branch: branch ?? scripted.branch }
    const agent = { claude: claudeSettings(await project()), workspace: { mode: 'copy' } } as const
    const { runtime, sessionId } = await runtimeWith(['one'], { ...options, agent, backend })
    const failure = runtime.sessions.fork(sessionId, {}, 'ana')
    const { workspaces } = dataFolders(runtime.dataDir)
    return { failure, sessionId, forgotten, copies: () => readdir(workspaces) }
  }

  /** `how` replaces the write of the fork's first event. */
  async function storeWith(how: (write: () => Promise<unknown>) => Promise<never>) {
    const store = await openTestStore()
    const append: typeof store.append = async (...all) => {
      const write = () => store.append(...all)
      const isFork = all[2].some((one) => one.type === 'AgentSessionCreated' && one.data.forkedFrom !== undefined)
      return isFork ? how(write) : write()
    }
    return { ...store, append }
  }

  it("is removed with a refused fork, and so are the backend's files", async () => {
    const refuse = () => Promise.reject(new QuarterdeckError('rewind.unavailable', 'nothing to branch from'))
    const { failure, sessionId, forgotten, copies } = await failedFork({}, refuse)
    await refusedWith(failure, 'rewind.unavailable')
    expect(await copies()).toEqual([sessionId])
    expect(forgotten).toHaveLength(1)
  })

  it('is removed with a fork that could not be written', async () => {
    const store = await storeWith(() => Promise.reject(new Error('the disk is full')))
    const { failure, sessionId, forgotten, copies } = await failedFork({ store })
    await expect(failure).rejects.toThrow('the disk is full')
    expect(await copies()).toEqual([sessionId])
    expect(forgotten).toHaveLength(1)
  })

  it('stays with a fork that was written although its write reported an error', async () => {
    const store = await storeWith(async (write) => {
      await write()
      throw new Error('connection lost')
    })
    const { failure, forgotten, copies } = await failedFork({ store })
    await expect(failure).rejects.toThrow('connection lost')
    expect(await copies()).toHaveLength(2)
    expect(forgotten).toEqual([])
  })
})

it('names the nearest messages when a fork is requested at another event', async () => {
  const { runtime, sessionId } = await runtimeWith(['one', 'two'])
  const answer = await seqOf(runtime, sessionId, ['AgentThought', 0])
  const question = await seqOf(runtime, sessionId, ['UserMessageDelivered', 1])
  const between = await seqOf(runtime, sessionId, ['TurnEnded', 0])
  const fork = (at: number) => runtime.sessions.fork(sessionId, { at }, 'ben')
  await expect(fork(between)).rejects.toThrow(`not a message to fork at: the nearest are ${answer} and ${question}`)
  await expect(fork(1)).rejects.toThrow(/the nearest is \d+$/)
})
