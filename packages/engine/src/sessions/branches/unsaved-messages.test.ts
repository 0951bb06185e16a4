// Forks and rewinds of a session whose process died before it saved a message.
import { formatUnsavedMessages, QuarterdeckError, type SessionId, type UserMessageId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend, Branch } from '../../backends/backend.ts'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Script } from '../../backends/scripted/script.ts'
import { answersOf, eventsOf, rests, type TestRuntime, textStep } from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

/** Repeats the earlier messages, and stalls in the middle of its answer to `lost`. */
const remembers: Script = (input, _, earlier) =>
  input === 'lost' ? [{ type: 'stall', chunks: ['I was say'] }] : [textStep(`${input} after [${earlier.join(' | ')}]`)]

const repeated = (message: string) => formatUnsavedMessages(['lost'], message)

/** The messages before `lost` are answered, then the server dies in the middle of the answer to `lost`. */
async function afterCrash(...before: readonly string[]) {
  const backend = createScriptedBackend({ script: remembers })
  const dead = await openTestRuntime({ backend })
  const { sessionId } = await dead.sessions.createSession({ agent: 'tester' }, 'ana')
  for (const content of before) {
    await dead.sessions.sendMessage(sessionId, { content }, 'ana')
    await rests(dead, sessionId, 'idle')
  }
  const { messageId: lost } = await dead.sessions.sendMessage(sessionId, { content: 'lost' }, 'ana')
  await expect.poll(() => dead.store.openTexts(sessionId)).toHaveLength(1)
  const { cwd, backendSessionId } = (await dead.sessions.getSession(sessionId)).session
  if (backendSessionId === null) throw new Error('the session has no conversation')
  const whole = { fromSessionId: sessionId, toSessionId: sessionId, cwd, backendSessionId }
  const saved = await backend.branch({ ...whole, at: { type: 'before', messageId: lost } })
  const runtime = await openTestRuntime({ backend: asSaved(backend, whole, saved), store: dead.store })
  await runtime.recover()
  return { runtime, sessionId, lost }
}

/** As a backend that saved only a part of the conversation; `null` if it has saved nothing. */
const asSaved = (
  backend: AgentBackend,
  { backendSessionId: whole }: Pick<Branch, 'backendSessionId'>,
  saved: string | null,
): AgentBackend => ({
  ...backend,
  createSession: ({ resume, ...session }) =>
    backend.createSession({ ...session, resume: resume === whole ? saved : resume }),
  async branch(branch) {
    if (branch.backendSessionId !== whole) return backend.branch(branch)
    if (saved === null) throw new QuarterdeckError('rewind.unavailable', 'there is no transcript')
    return backend.branch({ ...branch, backendSessionId: saved })
  },
})

const deliveredAt = async (runtime: TestRuntime, sessionId: SessionId, messageId: UserMessageId) =>
  (await eventsOf(runtime, sessionId, 'UserMessageDelivered')).findLast(({ data }) => data.messageId === messageId)
    ?.seq ?? 0

async function ask(runtime: TestRuntime, sessionId: SessionId, content: string) {
  const { messageId } = await runtime.sessions.sendMessage(sessionId, { content }, 'ben')
  await rests(runtime, sessionId, 'idle')
  return { messageId, answer: (await answersOf(runtime, sessionId)).at(-1) }
}

describe.each([
  ['the first message', []],
  ['a later message', ['first']],
])('after a crash at %s', (_, before) => {
  const known = before.length === 0 ? '[]' : '[first]'

  it('a fork at the end repeats the lost message in its first prompt', async () => {
    const { runtime, sessionId } = await afterCrash(...before)
    const fork = await runtime.sessions.fork(sessionId, {}, 'ben')
    expect((await ask(runtime, fork.sessionId, 'next')).answer).toBe(`${repeated('next')} after ${known}`)
  })

  it('a fork at the lost message replaces it', async () => {
    const { runtime, sessionId, lost } = await afterCrash(...before)
    const at = await deliveredAt(runtime, sessionId, lost)
    const fork = await runtime.sessions.fork(sessionId, { at, message: 'instead' }, 'ben')
    await rests(runtime, fork.sessionId, 'idle')
    expect(await answersOf(runtime, fork.sessionId)).toEqual([`instead after ${known}`])
  })

  it('a rewind to the lost message forgets it', async () => {
    const { runtime, sessionId, lost } = await afterCrash(...before)
    const report = await runtime.sessions.rewind(sessionId, { messageId: lost }, 'ben')
    expect(report).toMatchObject({ conversation: true, files: { restored: [], notRestored: [] } })
    expect((await ask(runtime, sessionId, 'next')).answer).toBe(`next after ${known}`)
  })

  it('a fork at, and a rewind to, the message after the lost one keep the lost one', async () => {
    const { runtime, sessionId } = await afterCrash(...before)
    const { messageId } = await ask(runtime, sessionId, 'both')
    const at = await deliveredAt(runtime, sessionId, messageId)
    const fork = await runtime.sessions.fork(sessionId, { at, message: 'next' }, 'ben')
    await rests(runtime, fork.sessionId, 'idle')
    expect(await answersOf(runtime, fork.sessionId)).toEqual([`${repeated('next')} after ${known}`])
    await runtime.sessions.rewind(sessionId, { messageId }, 'ben')
    expect((await ask(runtime, sessionId, 'next')).answer).toBe(`${repeated('next')} after ${known}`)
  })

  it('a rewind to the lost message also forgets the prompt that repeated it', async () => {
    const { runtime, sessionId, lost } = await afterCrash(...before)
    await ask(runtime, sessionId, 'both')
    await runtime.sessions.rewind(sessionId, { messageId: lost, files: false }, 'ben')
    expect((await ask(runtime, sessionId, 'next')).answer).toBe(`next after ${known}`)
  })
})
