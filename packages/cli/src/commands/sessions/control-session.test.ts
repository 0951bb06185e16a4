import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentText, say } from '../../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { commandLine } from '../../terminal/command-line.ts'
import { controlSession, forkSession, rewindSession } from './control-session.ts'
import { listSessions } from './sessions.ts'

/** A session that wrote each of two messages to notes.txt. */
async function openWritten() {
  const testServer = await openTestServer(
    (input) => [{ type: 'write', path: 'notes.txt', text: input }, say('written')],
    agentText.replace('manual', 'acceptAll, file_system: { write: true, edit: true }'),
  )
  const { sessionId } = await testServer.sessions.createSession({ agent: 'tester' }, 'operator')
  const send = async (content: string) => {
    const { messageId } = await testServer.sessions.sendMessage(sessionId, { content }, 'operator')
    await testServer.reaches(sessionId, 'idle')
    return messageId
  }
  const messages = { one: await send('one'), two: await send('two') }
  const { cwd } = (await testServer.sessions.getSession(sessionId)).session
  const { terminal, stdout } = await testServer.openTerminal()
  const history = async () => (await testServer.sessions.history(sessionId)).messages.map(({ content }) => content)
  return { sessionId, ...messages, terminal, stdout, history, notes: join(cwd, 'notes.txt') }
}

it('a rewind restores conversation and files, and names every file', async () => {
  const { sessionId, two, terminal, stdout, history, notes } = await openWritten()
  expect(await rewindSession(terminal, { id: sessionId, message: two, flags: { dryRun: true } })).toBe(0)
  expect(stdout()).toBe('the conversation would be rewound\nwould restore notes.txt\n')
  expect(await readFile(notes, 'utf8')).toBe('two')
  expect(await rewindSession(terminal, { id: sessionId, message: two, flags: {} })).toBe(0)
  expect(stdout()).toContain('\nthe conversation is rewound\nrestored notes.txt\n')
  expect(await readFile(notes, 'utf8')).toBe('one')
  expect(await history()).toEqual(['one', 'written'])
})

it('a rewind with --no-conversation restores only the files', async () => {
  const { sessionId, one, terminal, stdout, history, notes } = await openWritten()
  await rewindSession(terminal, { id: sessionId, message: one, flags: { conversation: false } })
  expect(stdout()).toBe('restored notes.txt\n')
  expect(existsSync(notes)).toBe(false)
  expect(await history()).toHaveLength(4)
})

it('a rewind with --no-files restores only the conversation', async () => {
  const { sessionId, two, terminal, stdout, history, notes } = await openWritten()
  await rewindSession(terminal, { id: sessionId, message: two, flags: { files: false } })
  expect(stdout()).toBe('the conversation is rewound\n')
  expect(await readFile(notes, 'utf8')).toBe('two')
  expect(await history()).toEqual(['one', 'written'])
})

it('a rewind with an invalid message id says where to find the ids', async () => {
  const { sessionId, terminal } = await openWritten()
  const refused = rewindSession(terminal, { id: sessionId, message: 'two', flags: {} })
  await expect(refused).rejects.toMatchObject({
    code: 'message.not-found',
    message: expect.stringContaining(`"${commandLine(terminal)} sessions show"`),
  })
})

describe('quarterdeck sessions pause, resume, cancel and fork', () => {
  it('pauses, resumes and cancels a session', async () => {
    const testServer = await openTestServer((input) =>
      input === 'go' ? [{ type: 'stall', chunks: ['hm'] }] : [say('on')],
    )
    const { sessionId } = await testServer.create('go')
    // The agent has its message: a turn that is paused before that takes it up again and stalls again.
    await expect
      .poll(async () => (await testServer.sessions.getSession(sessionId)).openTexts, { timeout: 60_000 })
      .toHaveLength(1)
    const { terminal, stdout } = await testServer.openTerminal()
    await controlSession(terminal, { id: sessionId, control: 'pause', flags: {} })
    await testServer.reaches(sessionId, 'paused')
    await controlSession(terminal, { id: sessionId, control: 'resume', flags: {} })
    await testServer.reaches(sessionId, 'idle')
    await controlSession(terminal, { id: sessionId, control: 'cancel', flags: {} })
    await testServer.reaches(sessionId, 'cancelled')
    expect(stdout()).toBe(`${sessionId}: pausing\n${sessionId}: resuming\n${sessionId}: cancelled\n`)
  })

  it('forks a session and prints only the id of the new one', async () => {
    const testServer = await openTestServer([])
    const { sessionId } = await testServer.create('go')
    await testServer.reaches(sessionId, 'idle')
    const { terminal, stdout } = await testServer.openTerminal()
    await forkSession(terminal, { id: sessionId, flags: { title: 'another way' } })
    expect(stdout()).toMatch(/^ses_\w+\n$/)
    const forked = (await testServer.sessions.listSessions({ text: 'another way' })).sessions[0]
    expect(forked).toMatchObject({ sessionId: stdout().trim(), forkedFrom: { sessionId } })
    const list = await testServer.openTerminal()
    await listSessions(list.terminal, {})
    const columns = list
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => line.indexOf('idle'))
    expect(columns).toEqual([columns[0], columns[0]])
  })
})
