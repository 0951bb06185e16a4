import { existsSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseApprovedCalls, type SessionId, type UserMessageId } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createScriptedBackend } from '../../backends/scripted/create-scripted-backend.ts'
import type { Script, Step } from '../../backends/scripted/script.ts'
import { claudeSettings } from '../../testing/agent-definition.fixture.ts'
import {
  answersOf,
  eventsOf,
  ls,
  refusedWith,
  rests,
  stall,
  stateOf,
  type TestRuntime,
  textStep,
} from '../testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

type ToolStep = Extract<Step, { type: 'tool' }>

/** Writes each message into notes.txt and repeats the earlier messages. */
const writes =
  (folder: string): Script =>
  (input, _, earlier) => [
    ...(input.startsWith('stall') ? [stall] : []),
    { type: 'write', path: join(folder, 'notes.txt'), text: input },
    textStep(`${input} after [${earlier.join(' ')}]`),
  ]

async function openRuntime(messages: readonly string[] = ['one', 'two', 'three']) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-rewind-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const runtime = await openTestRuntime({
    backend: createScriptedBackend({ script: writes(folder) }),
    agent: { claude: claudeSettings(folder, { permissionMode: 'acceptAll' }) },
  })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
  const messageIds: UserMessageId[] = []
  for (const content of messages) {
    messageIds.push((await runtime.sessions.sendMessage(sessionId, { content }, 'ana')).messageId)
    await rests(runtime, sessionId, 'idle')
  }
  const [one, two, three] = messageIds
  if (one === undefined || two === undefined || three === undefined) throw new Error('three messages are needed')
  return { runtime, sessionId, folder, notes: join(folder, 'notes.txt'), one, two, three }
}

describe('rewind', () => {
  it('restores files and conversation to before a message, and reports exactly what it did', async () => {
    const { runtime, sessionId, notes, two } = await openRuntime()
    const report = await runtime.sessions.rewind(sessionId, { messageId: two }, 'ben')
    expect(report).toMatchObject({ sessionId, conversation: true, files: { restored: ['notes.txt'], notRestored: [] } })
    expect(await readFile(notes, 'utf8')).toBe('one')
    const [files] = await eventsOf(runtime, sessionId, 'FilesRewound')
    const [rewound] = await eventsOf(runtime, sessionId, 'AgentSessionRewound')
    expect(files?.data).toMatchObject({ messageId: two, restored: ['notes.txt'], by: 'ben' })
    expect(rewound?.data).toMatchObject({ messageId: two, by: 'ben' })
    expect(files?.seq).toBeLessThan(rewound?.seq ?? 0)
    expect(report.appliedSeq).toBe((await stateOf(runtime, sessionId)).seq)

    await runtime.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect((await answersOf(runtime, sessionId)).at(-1)).toBe('again after [one]')
    const history = (await runtime.sessions.history(sessionId)).messages.map(({ content }) => content)
    expect(history).toEqual(['one', 'one after []', 'again', 'again after [one]'])
  })

  it('goes back to the very beginning', async () => {
    const { runtime, sessionId, notes, one } = await openRuntime()
    await runtime.sessions.rewind(sessionId, { messageId: one }, 'ana')
    expect(existsSync(notes)).toBe(false)
    await runtime.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect((await answersOf(runtime, sessionId)).at(-1)).toBe('again after []')
  })

  it('restores only the requested parts', async () => {
    const { runtime, sessionId, notes, two, three } = await openRuntime()
    const onlyFiles = await runtime.sessions.rewind(sessionId, { messageId: three, conversation: false }, 'ana')
    expect(onlyFiles).toMatchObject({ conversation: false, files: { restored: ['notes.txt'] } })
    expect(await readFile(notes, 'utf8')).toBe('two')
    expect(await eventsOf(runtime, sessionId, 'AgentSessionRewound')).toEqual([])
    const onlyWords = await runtime.sessions.rewind(sessionId, { messageId: two, files: false }, 'ana')
    expect(onlyWords).toMatchObject({ conversation: true, files: null })
    expect(await readFile(notes, 'utf8')).toBe('two')
    const nothing = { messageId: two, files: false, conversation: false }
    await expect(runtime.sessions.rewind(sessionId, nothing, 'ana')).rejects.toThrow('must rewind')
  })

  it('only reports what it would do in a dry run', async () => {
    const { runtime, sessionId, notes, two } = await openRuntime()
    const { seq } = await stateOf(runtime, sessionId)
    const dry = await runtime.sessions.rewind(sessionId, { messageId: two, dryRun: true }, 'ana')
    expect(await readFile(notes, 'utf8')).toBe('three')
    expect((await stateOf(runtime, sessionId)).seq).toBe(seq)
    const { appliedSeq: _, ...reported } = dry
    expect(await runtime.sessions.rewind(sessionId, { messageId: two }, 'ana')).toMatchObject(reported)
  })

  it('keeps queued messages', async () => {
    const { runtime, sessionId, two } = await openRuntime()
    await runtime.sessions.pause(sessionId, 'ana')
    await runtime.sessions.sendMessage(sessionId, { content: 'waits' }, 'ana')
    await runtime.sessions.rewind(sessionId, { messageId: two }, 'ana')
    expect((await runtime.sessions.listMessages(sessionId)).messages).toMatchObject([{ content: 'waits' }])
    await runtime.sessions.resume(sessionId, 'ana')
    await rests(runtime, sessionId, 'idle')
    expect((await answersOf(runtime, sessionId)).at(-1)).toBe('waits after [one]')
  })

  it('holds a message that arrives meanwhile until it is done', async () => {
    const { runtime, sessionId, two } = await openRuntime()
    const [report] = await Promise.all([
      runtime.sessions.rewind(sessionId, { messageId: two }, 'ana'),
      runtime.sessions.sendMessage(sessionId, { content: 'meanwhile' }, 'ana'),
    ])
    expect(report.conversation).toBe(true)
    await rests(runtime, sessionId, 'idle')
    expect((await answersOf(runtime, sessionId)).at(-1)).toBe('meanwhile after [one]')
  })

  it('is refused while a turn runs, for closed sessions, and for unknown messages', async () => {
    const { runtime, sessionId, two, three } = await openRuntime()
    await refusedWith(rewindTo('umsg_nothere'), 'message.not-found')
    await runtime.sessions.rewind(sessionId, { messageId: two }, 'ana')
    await refusedWith(rewindTo(three), 'rewind.unavailable')
    await runtime.sessions.sendMessage(sessionId, { content: 'stall' }, 'ana')
    await rests(runtime, sessionId, 'running')
    await refusedWith(rewindTo(two), 'session.busy')
    await runtime.sessions.cancel(sessionId, 'ana')
    await rests(runtime, sessionId, 'cancelled')
    await refusedWith(rewindTo(two), 'session.closed')

    function rewindTo(messageId: string, id: SessionId = sessionId) {
      return runtime.sessions.rewind(id, { messageId: messageId as UserMessageId }, 'ana')
    }
  })

  it('changes nothing when the files cannot be restored', async () => {
    const backend = createScriptedBackend({ script: [] })
    const runtime = await openTestRuntime({
      backend: {
        ...backend,
        createSession: async (options) => ({
          ...(await backend.createSession(options)),
          rewindFiles: async () => {
            throw Object.assign(new Error('no checkpoint'), { code: 'rewind.unavailable' })
          },
        }),
      },
    })
    const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
    const { messageId } = await runtime.sessions.sendMessage(sessionId, { content: 'one' }, 'ana')
    await rests(runtime, sessionId, 'idle')
    const { seq } = await stateOf(runtime, sessionId)
    await refusedWith(runtime.sessions.rewind(sessionId, { messageId }, 'ana'), 'rewind.unavailable')
    expect((await stateOf(runtime, sessionId)).seq).toBe(seq)
  })

  describe('rewind to before a call that was allowed meanwhile', () => {
    const inputs: string[] = []
    const asking: Script = (input) => {
      inputs.push(input)
      const isReported = input === 'work' || parseApprovedCalls(input).length > 0
      return isReported ? [ls, textStep('done')] : [textStep('nothing to do')]
    }
    const allowFirst = async (runtime: TestRuntime, sessionId: SessionId) => {
      const [open] = (await stateOf(runtime, sessionId)).approvals
      if (open === undefined) throw new Error('nobody is asked')
      await runtime.sessions.decideApproval(open.approvalId, { decision: 'allow' }, 'ben')
    }

    it('does not run the call when a paused session resumes', async () => {
      const runtime = await openTestRuntime({ backend: createScriptedBackend({ script: asking }) })
      const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
      const { messageId } = await runtime.sessions.sendMessage(sessionId, { content: 'work' }, 'ana')
      await rests(runtime, sessionId, 'waiting_approval')
      await runtime.sessions.pause(sessionId, 'ana')
      await rests(runtime, sessionId, 'paused')
      await allowFirst(runtime, sessionId)
      await runtime.sessions.rewind(sessionId, { messageId, files: false }, 'ana')
      await runtime.sessions.resume(sessionId, 'ana')
      await runtime.sessions.sendMessage(sessionId, { content: 'hello' }, 'ana')
      await expect.poll(() => answersOf(runtime, sessionId)).toEqual(['nothing to do'])
      await rests(runtime, sessionId, 'idle')
      expect(inputs).toEqual(['work', 'hello'])
    })

    it('does not report the approval after a later message', async () => {
      const two: Step[] = [
        { type: 'parallel', tools: [ls as ToolStep, { ...(ls as ToolStep), input: { command: 'pwd' } }] },
      ]
      const script: Script = (input, ...rest) => (input === 'go' ? two : asking(input, ...rest))
      const backend = createScriptedBackend({ script })
      const first = await openTestRuntime({ backend })
      const { sessionId } = await first.sessions.createSession({ agent: 'tester' }, 'ana')
      const { messageId } = await first.sessions.sendMessage(sessionId, { content: 'go' }, 'ana')
      await expect.poll(async () => (await stateOf(first, sessionId)).approvals).toHaveLength(2)
      const runtime = await openTestRuntime({ backend, store: first.store })
      await runtime.recover()
      await allowFirst(runtime, sessionId)
      await runtime.sessions.rewind(sessionId, { messageId, files: false }, 'ana')
      await runtime.sessions.sendMessage(sessionId, { content: 'hello' }, 'ana')
      await expect.poll(() => answersOf(runtime, sessionId)).toEqual(['nothing to do'])
      await rests(runtime, sessionId, 'idle')
      expect(inputs.at(-1)).toBe('hello')
      expect(await stateOf(runtime, sessionId)).toMatchObject({ unreported: [], grants: [], queued: [] })
    })
  })

  it('does not change a file that another program wrote', async () => {
    const { runtime, sessionId, folder, two } = await openRuntime()
    await writeFile(join(folder, 'other.txt'), 'mine')
    await runtime.sessions.rewind(sessionId, { messageId: two }, 'ana')
    expect(await readFile(join(folder, 'other.txt'), 'utf8')).toBe('mine')
  })
})
