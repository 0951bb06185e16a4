import { existsSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseApprovedCalls, type SessionId, type UserMessageId } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { claudeSettings } from '../agent-definition.fixture.ts'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { Script, Step } from '../backends/scripted/script.ts'
import { openTestHouse } from './engine.fixture.ts'
import {
  answersOf,
  eventsOf,
  ls,
  refusedWith,
  rests,
  say,
  stall,
  stateOf,
  type TestHouse,
} from './lifecycle.fixture.ts'

type ToolStep = Extract<Step, { type: 'tool' }>

/** Writes what it is told into notes.txt and says what it was told before. */
const writes =
  (folder: string): Script =>
  (input, _, earlier) => [
    ...(input.startsWith('stall') ? [stall] : []),
    { type: 'write', path: join(folder, 'notes.txt'), text: input },
    say(`${input} after [${earlier.join(' ')}]`),
  ]

async function openHouse(messages: readonly string[] = ['one', 'two', 'three']) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-rewind-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const house = await openTestHouse({
    backend: createScriptedBackend({ script: writes(folder) }),
    agent: { claude: claudeSettings(folder, { permissionMode: 'acceptAll' }) },
  })
  const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
  const messageIds: UserMessageId[] = []
  for (const content of messages) {
    messageIds.push((await house.sessions.send(sessionId, { content }, 'ana')).messageId)
    await rests(house, sessionId, 'idle')
  }
  const [one, two, three] = messageIds
  if (one === undefined || two === undefined || three === undefined) throw new Error('three messages are needed')
  return { house, sessionId, folder, notes: join(folder, 'notes.txt'), one, two, three }
}

describe('rewind', () => {
  it('takes files and conversation back to before a message, and says exactly what it did', async () => {
    const { house, sessionId, notes, two } = await openHouse()
    const report = await house.sessions.rewind(sessionId, { messageId: two }, 'ben')
    expect(report).toMatchObject({ sessionId, conversation: true, files: { restored: ['notes.txt'], notRestored: [] } })
    expect(await readFile(notes, 'utf8')).toBe('one')
    const [files] = await eventsOf(house, sessionId, 'FilesRewound')
    const [rewound] = await eventsOf(house, sessionId, 'AgentSessionRewound')
    expect(files?.data).toMatchObject({ messageId: two, restored: ['notes.txt'], by: 'ben' })
    expect(rewound?.data).toMatchObject({ messageId: two, by: 'ben' })
    expect(files?.seq).toBeLessThan(rewound?.seq ?? 0)
    expect(report.appliedSeq).toBe((await stateOf(house, sessionId)).seq)

    await house.sessions.send(sessionId, { content: 'again' }, 'ana')
    await rests(house, sessionId, 'idle')
    expect((await answersOf(house, sessionId)).at(-1)).toBe('again after [one]')
    const history = (await house.sessions.history(sessionId)).messages.map(({ content }) => content)
    expect(history).toEqual(['one', 'one after []', 'again', 'again after [one]'])
  })

  it('goes back to the very beginning', async () => {
    const { house, sessionId, notes, one } = await openHouse()
    await house.sessions.rewind(sessionId, { messageId: one }, 'ana')
    expect(existsSync(notes)).toBe(false)
    await house.sessions.send(sessionId, { content: 'again' }, 'ana')
    await rests(house, sessionId, 'idle')
    expect((await answersOf(house, sessionId)).at(-1)).toBe('again after []')
  })

  it('takes back only what is asked for', async () => {
    const { house, sessionId, notes, two, three } = await openHouse()
    const onlyFiles = await house.sessions.rewind(sessionId, { messageId: three, conversation: false }, 'ana')
    expect(onlyFiles).toMatchObject({ conversation: false, files: { restored: ['notes.txt'] } })
    expect(await readFile(notes, 'utf8')).toBe('two')
    expect(await eventsOf(house, sessionId, 'AgentSessionRewound')).toEqual([])
    const onlyWords = await house.sessions.rewind(sessionId, { messageId: two, files: false }, 'ana')
    expect(onlyWords).toMatchObject({ conversation: true, files: null })
    expect(await readFile(notes, 'utf8')).toBe('two')
    const nothing = { messageId: two, files: false, conversation: false }
    await expect(house.sessions.rewind(sessionId, nothing, 'ana')).rejects.toThrow('must rewind')
  })

  it('only tells what it would do in a dry run', async () => {
    const { house, sessionId, notes, two } = await openHouse()
    const { seq } = await stateOf(house, sessionId)
    const dry = await house.sessions.rewind(sessionId, { messageId: two, dryRun: true }, 'ana')
    expect(await readFile(notes, 'utf8')).toBe('three')
    expect((await stateOf(house, sessionId)).seq).toBe(seq)
    const { appliedSeq: _, ...told } = dry
    expect(await house.sessions.rewind(sessionId, { messageId: two }, 'ana')).toMatchObject(told)
  })

  it('keeps messages that wait', async () => {
    const { house, sessionId, two } = await openHouse()
    await house.sessions.pause(sessionId, 'ana')
    await house.sessions.send(sessionId, { content: 'waits' }, 'ana')
    await house.sessions.rewind(sessionId, { messageId: two }, 'ana')
    expect(await house.sessions.messages(sessionId)).toMatchObject([{ content: 'waits' }])
    await house.sessions.resume(sessionId, 'ana')
    await rests(house, sessionId, 'idle')
    expect((await answersOf(house, sessionId)).at(-1)).toBe('waits after [one]')
  })

  it('lets a message that comes meanwhile wait until it is done', async () => {
    const { house, sessionId, two } = await openHouse()
    const [report] = await Promise.all([
      house.sessions.rewind(sessionId, { messageId: two }, 'ana'),
      house.sessions.send(sessionId, { content: 'meanwhile' }, 'ana'),
    ])
    expect(report.conversation).toBe(true)
    await rests(house, sessionId, 'idle')
    expect((await answersOf(house, sessionId)).at(-1)).toBe('meanwhile after [one]')
  })

  it('is refused while a turn runs, for closed sessions, and for messages it does not have', async () => {
    const { house, sessionId, two, three } = await openHouse()
    await refusedWith(rewindTo('umsg_nothere'), 'message.not-found')
    await house.sessions.rewind(sessionId, { messageId: two }, 'ana')
    await refusedWith(rewindTo(three), 'rewind.unavailable')
    await house.sessions.send(sessionId, { content: 'stall' }, 'ana')
    await rests(house, sessionId, 'running')
    await refusedWith(rewindTo(two), 'session.busy')
    await house.sessions.cancel(sessionId, 'ana')
    await rests(house, sessionId, 'cancelled')
    await refusedWith(rewindTo(two), 'session.closed')

    function rewindTo(messageId: string, id: SessionId = sessionId) {
      return house.sessions.rewind(id, { messageId: messageId as UserMessageId }, 'ana')
    }
  })

  it('changes nothing when the files cannot be taken back', async () => {
    const backend = createScriptedBackend({ script: [] })
    const house = await openTestHouse({
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
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    const { messageId } = await house.sessions.send(sessionId, { content: 'one' }, 'ana')
    await rests(house, sessionId, 'idle')
    const { seq } = await stateOf(house, sessionId)
    await refusedWith(house.sessions.rewind(sessionId, { messageId }, 'ana'), 'rewind.unavailable')
    expect((await stateOf(house, sessionId)).seq).toBe(seq)
  })

  describe('to before a call that was allowed meanwhile', () => {
    const inputs: string[] = []
    const asking: Script = (input) => {
      inputs.push(input)
      const isTold = input === 'work' || parseApprovedCalls(input).length > 0
      return isTold ? [ls, say('done')] : [say('nothing to do')]
    }
    const allowFirst = async (house: TestHouse, sessionId: SessionId) => {
      const [open] = (await stateOf(house, sessionId)).approvals
      if (open === undefined) throw new Error('nobody is asked')
      await house.sessions.decide(open.approvalId, { decision: 'allow' }, 'ben')
    }

    it('does not let it run when a paused session goes on', async () => {
      const house = await openTestHouse({ backend: createScriptedBackend({ script: asking }) })
      const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
      const { messageId } = await house.sessions.send(sessionId, { content: 'work' }, 'ana')
      await rests(house, sessionId, 'waiting_approval')
      await house.sessions.pause(sessionId, 'ana')
      await rests(house, sessionId, 'paused')
      await allowFirst(house, sessionId)
      await house.sessions.rewind(sessionId, { messageId, files: false }, 'ana')
      await house.sessions.resume(sessionId, 'ana')
      await house.sessions.send(sessionId, { content: 'hello' }, 'ana')
      await expect.poll(() => answersOf(house, sessionId)).toEqual(['nothing to do'])
      await rests(house, sessionId, 'idle')
      expect(inputs).toEqual(['work', 'hello'])
    })

    it('does not tell of it after a later message', async () => {
      const two: Step[] = [
        { type: 'parallel', tools: [ls as ToolStep, { ...(ls as ToolStep), input: { command: 'pwd' } }] },
      ]
      const script: Script = (input, ...rest) => (input === 'go' ? two : asking(input, ...rest))
      const backend = createScriptedBackend({ script })
      const first = await openTestHouse({ backend })
      const { sessionId } = await first.sessions.create({ agent: 'tester' }, 'ana')
      const { messageId } = await first.sessions.send(sessionId, { content: 'go' }, 'ana')
      await expect.poll(async () => (await stateOf(first, sessionId)).approvals).toHaveLength(2)
      const house = await openTestHouse({ backend, store: first.store })
      await house.recover()
      await allowFirst(house, sessionId)
      await house.sessions.rewind(sessionId, { messageId, files: false }, 'ana')
      await house.sessions.send(sessionId, { content: 'hello' }, 'ana')
      await expect.poll(() => answersOf(house, sessionId)).toEqual(['nothing to do'])
      await rests(house, sessionId, 'idle')
      expect(inputs.at(-1)).toBe('hello')
      expect(await stateOf(house, sessionId)).toMatchObject({ untold: [], grants: [], queued: [] })
    })
  })

  it('leaves a file alone that something else wrote', async () => {
    const { house, sessionId, folder, two } = await openHouse()
    await writeFile(join(folder, 'other.txt'), 'mine')
    await house.sessions.rewind(sessionId, { messageId: two }, 'ana')
    expect(await readFile(join(folder, 'other.txt'), 'utf8')).toBe('mine')
  })
})
