import { describe, expect, it } from 'vitest'
import { bash, say } from '../../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { commandLine } from '../../terminal/command-line.ts'
import { exportSession } from './export-session.ts'
import { closeAndTail, openSessionAt } from './session-views.fixture.ts'
import { tailSession } from './tail-session.ts'

const used = { type: 'usage', input: 1000, output: 100, costUsd: 0.5 } as const

it('shows a session to its end, as text and as events, with and without a server', async () => {
  const testServer = await openTestServer([[used, say('the answer')]])
  const { sessionId } = await testServer.create('the question')
  const live = await testServer.openTerminal()
  const tailing = tailSession(live.terminal, { id: sessionId, flags: {} })
  await testServer.reaches(sessionId, 'idle')
  await testServer.sessions.close(sessionId, 'operator')
  expect(await tailing).toBe(0)
  expect(live.stdout()).toContain('the answer')
  await testServer.close()
  const later = await testServer.openTerminal()
  expect(await tailSession(later.terminal, { id: sessionId, flags: { json: true } })).toBe(0)
  const lines = later.stdout().trim().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(lines.map((_, index) => index + 1))
  const nowhere = exportSession(later.terminal, { id: sessionId, flags: { out: 'no/such/folder/x' } })
  await expect(nowhere).rejects.toThrow(/no\/such\/folder\/x cannot be written/)
  const jsonl = await testServer.openTerminal()
  await exportSession(jsonl.terminal, { id: sessionId, flags: {} })
  expect(jsonl.stdout().trim().split('\n')).toHaveLength(lines.length)
  const page = await testServer.openTerminal()
  await exportSession(page.terminal, { id: sessionId, flags: { format: 'markdown' } })
  expect(page.stdout()).toMatch(/^# the question\n[\s\S]*## operator\n\nthe question\n\n## Agent\n\nthe answer\n/)
})

it('ends a tail from the end of a closed session, with and without a server', async () => {
  const testServer = await openTestServer([])
  const { sessionId } = await testServer.create('go')
  await testServer.reaches(sessionId, 'idle')
  await testServer.sessions.close(sessionId, 'operator')
  const { seq } = (await testServer.sessions.getSession(sessionId)).session
  for (const after of [seq, seq + 100]) {
    const { terminal, stdout, stderr } = await testServer.openTerminal()
    expect(await tailSession(terminal, { id: sessionId, flags: { after } })).toBe(0)
    expect([stdout(), stderr()]).toEqual(['', 'the session is closed\n'])
    await testServer.close()
  }
})

it('a tail without a server says that it polls, and ends when its reader closes', async () => {
  const testServer = await openTestServer([[say('the answer')]])
  const { sessionId } = await testServer.create('go')
  await testServer.reaches(sessionId, 'idle')
  await testServer.close()
  const { terminal, stderr, stdout } = await testServer.openTerminal()
  const tailing = tailSession(terminal, { id: sessionId, flags: {} })
  await expect.poll(stdout).toContain('the answer')
  expect(stderr().match(/no server is running on/g)).toHaveLength(1)
  terminal.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
  expect(await tailing).toBe(0)
})

describe('a tail', () => {
  it('shows what waits for a decision, how to decide it, and the messages of people', async () => {
    const { testServer, sessionId } = await openSessionAt([[bash('rm x'), say('done')]], 'waiting_approval')
    const [open] = (await testServer.sessions.listApprovals({ session: sessionId })).approvals
    if (open === undefined) throw new Error('nothing waits')
    const { terminal, stdout, signal } = await testServer.openTerminal()
    const tailing = tailSession(terminal, { id: sessionId, flags: {} })
    await expect.poll(stdout).toContain(`  ${commandLine(terminal)} sessions approve ${open.approvalId}`)
    signal()
    await tailing
    expect(stdout()).toMatch(/^ana:\n {2}please\n {2}go\n/)
    expect(stdout()).toMatch(/\n! Bash needs approval .*\n {4}rm x\n/)
    await testServer.sessions.decideApproval(open.approvalId, { decision: 'deny', note: 'no' }, 'ben')
    await testServer.reaches(sessionId, 'idle')
    const after = await closeAndTail(testServer, sessionId)
    expect(after).toContain('  denied by ben: no\n')
    expect(after).not.toContain(' sessions approve')
  })

  it('is refused after an event that does not exist, with and without a server', async () => {
    const { testServer, sessionId } = await openSessionAt([[say('done')]], 'idle')
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
    const { testServer, sessionId } = await openSessionAt([[asks, say('done')]], 'waiting_user')
    const [open] = (await testServer.sessions.listQuestions({ session: sessionId })).questions
    const { terminal, stdout, signal } = await testServer.openTerminal()
    const tailing = tailSession(terminal, { id: sessionId, flags: {} })
    await expect
      .poll(stdout)
      .toContain(
        `? The agent asks\n  Which colour?\n    [1] red\n    [2] blue\n  ${commandLine(terminal)} sessions answer ${open?.questionId ?? ''} ANSWER\n`,
      )
    signal()
    await tailing
  })
})
