// A session for a later reader: messages and decisions of people in a tail and in an exported document.
import type { SessionId, SessionStatus } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { bash, say } from '../../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { commandLine } from '../../terminal/command-line.ts'
import { approve } from './approve.ts'
import { controlSession } from './control-session.ts'
import { exportSession } from './export-session.ts'
import { showSession } from './sessions.ts'
import { tailSession } from './tail-session.ts'

type TestServer = Awaited<ReturnType<typeof openTestServer>>

const wait = { timeout: 60_000 }

async function openWaiting(script: Parameters<typeof openTestServer>[0], status: SessionStatus) {
  const testServer = await openTestServer(script)
  const { sessionId } = await testServer.sessions.createSession({ agent: 'tester', message: 'please\ngo' }, 'ana')
  await testServer.reaches(sessionId, status)
  return { testServer, sessionId }
}

async function markdownOf(testServer: TestServer, id: SessionId): Promise<string> {
  const { terminal, stdout } = await testServer.openTerminal()
  await exportSession(terminal, { id, flags: { format: 'markdown' } })
  return stdout()
}

async function tailToTheEnd(testServer: TestServer, sessionId: SessionId): Promise<string> {
  await testServer.sessions.close(sessionId, 'operator')
  const { terminal, stdout } = await testServer.openTerminal()
  await tailSession(terminal, { id: sessionId, flags: {} })
  return stdout()
}

it('a cut-off answer is marked after its question in every view', async () => {
  const script: Parameters<typeof openTestServer>[0] = [
    [{ type: 'broken_stream', chunks: ['I was', ' say'] }, say('now again')],
  ]
  const { testServer, sessionId } = await openWaiting(script, 'idle')
  const shown = await testServer.openTerminal()
  await showSession(shown.terminal, { id: sessionId, flags: {} })
  expect(shown.stdout()).toMatch(
    /\n\ntester:\nI was say\n {2}This text was cut off: the stream broke\n\ntester: {2}event \d+\nnow again\n/,
  )
  expect(await markdownOf(testServer, sessionId)).toMatch(
    /go\n\n## Agent\n\nI was say\n\n> This text was cut off: the stream broke\n\n## Agent\n\nnow again\n/,
  )
  expect(await tailToTheEnd(testServer, sessionId)).toContain(
    '\n  go\nI was say\n  This text was cut off: the stream broke\nnow again\n',
  )
})

describe('an edited call', () => {
  it('is shown as it ran, with its editor, beside the original', async () => {
    const { testServer, sessionId } = await openWaiting([[bash('rm x'), say('done')]], 'waiting_approval')
    const { terminal } = await testServer.openTerminal()
    await approve(terminal, { what: sessionId, flags: { input: '{"command":"ls -l"}' } })
    await testServer.reaches(sessionId, 'idle')
    const page = await markdownOf(testServer, sessionId)
    expect(page).toContain('**Bash** (done, edited by operator)\n\n```\n{\n  "command": "ls -l"\n}\n```\n')
    expect(page).toMatch(
      /> Bash was allowed by operator with another input at .*\n\nAsked for:\n\n```\n.*\n {2}"command": "rm x"/,
    )
    expect(await tailToTheEnd(testServer, sessionId)).toContain(
      '  allowed by operator\n  ✎ edited by operator, runs ls -l\n',
    )
  })
})

it('an exported approval stands between the call and its output', async () => {
  const { testServer, sessionId } = await openWaiting([[bash('ls'), say('done')]], 'waiting_approval')
  const { terminal } = await testServer.openTerminal()
  expect(await markdownOf(testServer, sessionId)).toMatch(/\n```\n\n> Bash waits for approval\n/)
  await approve(terminal, { what: sessionId, flags: { always: true } })
  await testServer.reaches(sessionId, 'idle')
  expect(await markdownOf(testServer, sessionId)).toMatch(
    /"command": "ls"\n}\n```\n\n> Bash was allowed by operator for this session at \S+\n\n```\nran /,
  )
})

it('a transcript says who paused, resumed and cancelled the session', async () => {
  const { testServer, sessionId } = await openWaiting([[bash('ls'), say('done')]], 'waiting_approval')
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

it('a call that is edited after its process has gone is shown unedited, because another call runs', async () => {
  const script: Parameters<typeof openTestServer>[0] = (_, turn) => (turn === 0 ? [bash('rm x'), say('a')] : [say('b')])
  const { testServer, sessionId } = await openWaiting(script, 'waiting_approval')
  await testServer.sessions.pause(sessionId, 'ana')
  await testServer.reaches(sessionId, 'paused')
  const { terminal } = await testServer.openTerminal()
  await approve(terminal, { what: sessionId, flags: { input: '{"command":"ls -l"}' } })
  const page = await markdownOf(testServer, sessionId)
  expect(page).toMatch(/\*\*Bash\*\* \(\w+\)\n\n```\n\{\n {2}"command": "rm x"/)
  expect(page).toMatch(
    /was allowed by operator with another input at [\s\S]*Allowed instead:\n\n```\n\{\n {2}"command": "ls -l"/,
  )
})

describe('a tail', () => {
  it('shows what waits for a decision, how to decide it, and the messages of people', async () => {
    const { testServer, sessionId } = await openWaiting([[bash('rm x'), say('done')]], 'waiting_approval')
    const [open] = (await testServer.sessions.listApprovals({ session: sessionId })).approvals
    if (open === undefined) throw new Error('nothing waits')
    const { terminal, stdout, signal } = await testServer.openTerminal()
    const tailing = tailSession(terminal, { id: sessionId, flags: {} })
    await expect.poll(stdout, wait).toContain(`  ${commandLine(terminal)} sessions approve ${open.approvalId}`)
    signal()
    await tailing
    expect(stdout()).toMatch(/^ana:\n {2}please\n {2}go\n/)
    expect(stdout()).toMatch(/\n! Bash needs approval .*\n {4}rm x\n/)
    await testServer.sessions.decideApproval(open.approvalId, { decision: 'deny', note: 'no' }, 'ben')
    await testServer.reaches(sessionId, 'idle')
    const after = await tailToTheEnd(testServer, sessionId)
    expect(after).toContain('  denied by ben: no\n')
    expect(after).not.toContain(' sessions approve')
  })

  it('is refused after an event that does not exist, with and without a server', async () => {
    const { testServer, sessionId } = await openWaiting([[say('done')]], 'idle')
    const { seq } = (await testServer.sessions.getSession(sessionId)).session
    const refused = async () => {
      const { terminal, stderr } = await testServer.openTerminal()
      await expect(tailSession(terminal, { id: sessionId, flags: { after: seq + 1 } })).rejects.toMatchObject({
        code: 'cursor.beyond-log',
        message: `--after ${seq + 1}: the last event of ${sessionId} is ${seq}`,
      })
      expect(stderr()).toBe('')
    }
    await refused()
    await testServer.close()
    await refused()
  })

  it('shows a question with its options and how to answer it', async () => {
    const options = ['red', 'blue'].map((label) => ({ label, description: label }))
    const questions = [{ question: 'Which colour?', header: 'Colour', options, multiSelect: false }]
    const asks = { type: 'tool', name: 'AskUserQuestion', input: { questions }, result: '' } as const
    const { testServer, sessionId } = await openWaiting([[asks, say('done')]], 'waiting_user')
    const [open] = (await testServer.sessions.listQuestions({ session: sessionId })).questions
    const { terminal, stdout, signal } = await testServer.openTerminal()
    const tailing = tailSession(terminal, { id: sessionId, flags: {} })
    await expect
      .poll(stdout, wait)
      .toContain(
        `? The agent asks\n  Which colour?\n    [1] red\n    [2] blue\n  ${commandLine(terminal)} sessions answer ${open?.questionId ?? ''} ANSWER\n`,
      )
    signal()
    await tailing
  })
})

describe('an export', () => {
  it('marks a call that was interrupted before a decision as not run', async () => {
    const { testServer, sessionId } = await openWaiting([[bash('rm x'), say('done')]], 'waiting_approval')
    await testServer.sessions.interrupt(sessionId, 'ana')
    await testServer.reaches(sessionId, 'interrupted')
    expect(await markdownOf(testServer, sessionId)).toMatch(
      /\*\*Bash\*\* \(stopped before it ran\)\n\n```\n\{[^}]*\}\n```\n\n>/,
    )
  })

  it('marks rewound messages and names the message the conversation went back to', async () => {
    const { testServer, sessionId } = await openWaiting((_, turn) => [say(`answer ${turn}`)], 'idle')
    const { messageId } = await testServer.sessions.sendMessage(sessionId, { content: 'again' }, 'ana')
    await expect.poll(async () => (await testServer.sessions.getSession(sessionId)).session.numTurns, wait).toBe(2)
    await testServer.reaches(sessionId, 'idle')
    await testServer.sessions.rewind(sessionId, { messageId, conversation: true, files: false, dryRun: false }, 'ben')
    const page = await markdownOf(testServer, sessionId)
    expect(page).toMatch(
      /> Rewound by ben at \S+: the agent no longer knows the conversation from here on\.\n\n## ana\n\nagain\n/,
    )
    expect(page).toContain(`> ben rewound the conversation to before the message "again" (${messageId}).`)
  })
})
