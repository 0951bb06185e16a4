import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentText, say } from '../../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { commandLine } from '../../terminal/command-line.ts'
import { rewindSession } from './control-session.ts'

/** A session that wrote each of two messages to notes.txt. */
async function openWritten() {
  const testServer = await openTestServer(
    (input) => [{ type: 'write', path: 'notes.txt', text: input }, say('written')],
    agentText.replace('manual', 'acceptAll, file_system: { write: true, edit: true }'),
  )
  const { sessionId } = await testServer.sessions.createSession({ agent: 'tester' }, 'operator')
  const send = async (content: string) => {
    const { messageId } = await testServer.sessions.sendMessage(sessionId, { content }, 'operator')
    await expect
      .poll(async () => (await testServer.sessions.getSession(sessionId)).session.status, { timeout: 60_000 })
      .toBe('idle')
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
