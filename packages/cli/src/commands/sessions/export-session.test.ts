import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { bash, say, scripted, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import type { openTestServer } from '../../connect/test-server.fixture.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { run } from '../run/run.ts'
import { approve } from './approve.ts'
import { exportSession } from './export-session.ts'
import { exportMarkdown, openSessionAt } from './session-views.fixture.ts'
import { listSessions } from './sessions.ts'

it.each(['markdown', 'jsonl'] as const)('an export as %s escapes control characters on a terminal', async (format) => {
  const { terminal, stdout } = await openTestTerminal({ piped: '' })
  const agent = await writeAgent(terminal.cwd)
  const nasty = '\u001b]0;owned\u0007 \u009b2J'
  await run(terminal, { agent, message: nasty, flags: {} }, scripted([[say(nasty)]]))
  await listSessions(terminal, {})
  const id = /ses_\w+/.exec(stdout())?.[0] ?? ''
  const textFor = async (isTTY: boolean) => {
    const screen = Object.assign(new PassThrough(), { isTTY })
    let text = ''
    screen.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    await exportSession({ ...terminal, stdout: screen }, { id, flags: { format } })
    return text
  }
  expect(await textFor(false)).toContain('\u009b2J')
  const shown = await textFor(true)
  expect(shown).toContain('owned')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys is what is looked for
  expect(shown).not.toMatch(/[\u001b\u0007\u009b]/)
})

it('an exported approval stands between the call and its output', async () => {
  const { testServer, sessionId } = await openSessionAt([[bash('ls'), say('done')]], 'waiting_approval')
  const { terminal } = await testServer.openTerminal()
  expect(await exportMarkdown(testServer, sessionId)).toMatch(/\n```\n\n> Bash waits for approval\n/)
  await approve(terminal, { what: sessionId, flags: { always: true } })
  await testServer.reaches(sessionId, 'idle')
  expect(await exportMarkdown(testServer, sessionId)).toMatch(
    /"command": "ls"\n}\n```\n\n> Bash was allowed by operator for this session at \S+\n\n```\nran /,
  )
})

it('a call that is edited after its process has gone is shown unedited, because another call runs', async () => {
  const script: Parameters<typeof openTestServer>[0] = (_, turn) => (turn === 0 ? [bash('rm x'), say('a')] : [say('b')])
  const { testServer, sessionId } = await openSessionAt(script, 'waiting_approval')
  await testServer.sessions.pause(sessionId, 'ana')
  await testServer.reaches(sessionId, 'paused')
  const { terminal } = await testServer.openTerminal()
  await approve(terminal, { what: sessionId, flags: { input: '{"command":"ls -l"}' } })
  const page = await exportMarkdown(testServer, sessionId)
  expect(page).toMatch(/\*\*Bash\*\* \(\w+\)\n\n```\n\{\n {2}"command": "rm x"/)
  expect(page).toMatch(
    /was allowed by operator with another input at [\s\S]*Allowed instead:\n\n```\n\{\n {2}"command": "ls -l"/,
  )
})

it('an export marks a call that was interrupted before a decision as not run', async () => {
  const { testServer, sessionId } = await openSessionAt([[bash('rm x'), say('done')]], 'waiting_approval')
  await testServer.sessions.interrupt(sessionId, 'ana')
  await testServer.reaches(sessionId, 'interrupted')
  expect(await exportMarkdown(testServer, sessionId)).toMatch(
    /\*\*Bash\*\* \(stopped before it ran\)\n\n```\n\{[^}]*\}\n```\n\n>/,
  )
})

it('an export marks rewound messages and names the message the conversation went back to', async () => {
  const { testServer, sessionId } = await openSessionAt((_, turn) => [say(`answer ${turn}`)], 'idle')
  const { messageId } = await testServer.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
  await expect.poll(async () => (await testServer.sessions.getSession(sessionId)).session.numTurns).toBe(2)
  await testServer.reaches(sessionId, 'idle')
  await testServer.sessions.rewind(sessionId, { messageId, conversation: true, files: false, dryRun: false }, 'ben')
  const page = await exportMarkdown(testServer, sessionId)
  expect(page).toMatch(
    /> Rewound by ben at \S+: the agent no longer knows the conversation from here on\.\n\n## ana\n\nagain\n/,
  )
  expect(page).toContain(`> ben rewound the conversation to before the message "again" (${messageId}).`)
})
