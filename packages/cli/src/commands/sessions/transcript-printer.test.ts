// One session in every view: the transcript, the tail and the exported document.
import { expect, it } from 'vitest'
import { bash, say } from '../../connect/scripted-agent.fixture.ts'
import type { openTestServer } from '../../connect/test-server.fixture.ts'
import { approve } from './approve.ts'
import { controlSession } from './control-session.ts'
import { closeAndTail, exportMarkdown, openSessionAt } from './session-views.fixture.ts'
import { showSession } from './sessions.ts'

it('a cut-off answer is marked after its question in every view', async () => {
  const script: Parameters<typeof openTestServer>[0] = [
    [{ type: 'broken_stream', chunks: ['I was', ' say'] }, say('now again')],
  ]
  const { testServer, sessionId } = await openSessionAt(script, 'idle')
  const shown = await testServer.openTerminal()
  await showSession(shown.terminal, { id: sessionId, flags: {} })
  expect(shown.stdout()).toMatch(
    /\n\ntester:\nI was say\n {2}This text was cut off: the stream broke\n\ntester: {2}event \d+\nnow again\n/,
  )
  expect(await exportMarkdown(testServer, sessionId)).toMatch(
    /go\n\n## Agent\n\nI was say\n\n> This text was cut off: the stream broke\n\n## Agent\n\nnow again\n/,
  )
  expect(await closeAndTail(testServer, sessionId)).toContain(
    '\n  go\nI was say\n  This text was cut off: the stream broke\nnow again\n',
  )
})

it('an edited call is shown as it ran, with its editor, beside the original', async () => {
  const { testServer, sessionId } = await openSessionAt([[bash('rm x'), say('done')]], 'waiting_approval')
  const { terminal } = await testServer.openTerminal()
  await approve(terminal, { what: sessionId, flags: { input: '{"command":"ls -l"}' } })
  await testServer.reaches(sessionId, 'idle')
  const page = await exportMarkdown(testServer, sessionId)
  expect(page).toContain('**Bash** (done, edited by operator)\n\n```\n{\n  "command": "ls -l"\n}\n```\n')
  expect(page).toMatch(
    /> Bash was allowed by operator with another input at .*\n\nAsked for:\n\n```\n.*\n {2}"command": "rm x"/,
  )
  expect(await closeAndTail(testServer, sessionId)).toContain(
    '  allowed by operator\n  ✎ edited by operator, runs ls -l\n',
  )
})

it('a transcript says who paused, resumed and cancelled the session', async () => {
  const { testServer, sessionId } = await openSessionAt([[bash('ls'), say('done')]], 'waiting_approval')
  for (const [control, status] of [
    ['pause', 'paused'],
    ['resume', 'waiting_approval'],
    ['cancel', 'cancelled'],
  ] as const) {
    const { terminal } = await testServer.openTerminal()
    await controlSession(terminal, { id: sessionId, control, flags: {} })
    await testServer.reaches(sessionId, status)
  }
  const { terminal, stdout } = await testServer.openTerminal()
  await showSession(terminal, { id: sessionId, flags: {} })
  expect(stdout()).toMatch(/\n {2}paused by operator\n(.*\n)* {2}paused · simulator /)
  expect(stdout()).toMatch(/\n {2}resumed by operator\n {2}cancelled by operator\n/)
})
