// The agent's process is killed. The session reports it and continues.
import { fileURLToPath } from 'node:url'
import type { SessionId } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { cliProcesses, processesMentioning } from '../support/server/process-tree.ts'
import { type Served, serve } from '../support/server/serve.ts'
import { allowAll, expectGapFree, isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'

const patience = { timeout: 60_000 }
const running: Served[] = []
async function start(args: readonly string[] = []): Promise<Served> {
  // Without a spare process, which could start while the processes are counted.
  const served = await serve({ args: ['--model-source', 'simulator', ...args] })
  running.push(served)
  return served
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.stop()))
})

async function killCli(served: Served): Promise<void> {
  const found = await cliProcesses(served.dataDir)
  expect(found.length).toBeGreaterThan(0)
  for (const pid of found) process.kill(pid, 'SIGKILL')
  await expect.poll(() => cliProcesses(served.dataDir), patience).toEqual([])
}

const lastSeq = async (served: Served, sessionId: SessionId) => (await served.client.getSession(sessionId)).session.seq

describe('kill -9 of the agent’s CLI', () => {
  it('while a tool runs: the log and the API report it, no process is left, and the next message is answered', async () => {
    const script = fileURLToPath(new URL('../scenarios/long-command.yaml', import.meta.url))
    const served = await start(['--script', script])
    const { sessionId } = await served.client.createSession({ agent: 'coder', message: 'Run something long.' })
    const asked = await watchUntil(served, sessionId, isStatus('waiting_approval'))
    const request = asked.find((event) => event.type === 'ApprovalRequested')
    if (request?.type !== 'ApprovalRequested') throw new Error('nothing was asked')
    await served.client.decideApproval(request.data.approvalId, { decision: 'allow' })
    const commands = () => processesMentioning('quarterdeck-long-command', served.dataDir)
    await expect.poll(commands, patience).not.toEqual([])
    await killCli(served)
    await watchUntil(served, sessionId, (event) => event.type === 'TurnEnded')
    await expect.poll(commands, patience).toEqual([])

    const log = await wholeLog(served, sessionId)
    // Some versions of its wrapper cannot report the signal.
    const crash = log.find((event) => event.type === 'BackendCrashed')
    expect(crash?.data).toMatchObject({ exitCode: null, signal: expect.stringMatching(/^(SIGKILL|unknown)$/) })
    expect(log.find((event) => event.type === 'TurnEnded')?.data).toMatchObject({
      outcome: 'crashed',
      result: { isError: true, errorReason: 'subprocess terminated unexpectedly' },
    })
    await expect.poll(async () => (await served.client.getSession(sessionId)).session.status, patience).toBe('failed')

    const seq = await lastSeq(served, sessionId)
    await served.client.sendMessage(sessionId, { content: 'And now?' })
    await watchUntil(served, sessionId, (event) => 'seq' in event && event.seq > seq && isStatus('idle')(event))
    expect((await served.client.getSession(sessionId)).session.lastResult).toBe('Done.')
    expectGapFree(await wholeLog(served, sessionId))
  })

  it('while an approval is open: it stays open, can be decided, and the tool runs once', async () => {
    const served = await start()
    const { sessionId } = await served.client.createSession({
      agent: 'coder',
      message: 'Find and fix the failing test.',
    })
    await watchUntil(served, sessionId, isStatus('waiting_approval'))
    const [before] = (await served.client.listApprovals()).approvals
    await killCli(served)
    const ended = await watchUntil(served, sessionId, (event) => event.type === 'TurnEnded')
    expect(ended.map(({ type }) => type)).toContain('BackendCrashed')
    expect((await served.client.getSession(sessionId)).session.status).toBe('waiting_approval')
    const { approvals } = await served.client.listApprovals()
    expect(approvals.map(({ approvalId }) => approvalId)).toEqual([before?.approvalId])

    await allowAll(served, sessionId)
    const log = await wholeLog(served, sessionId)
    expectGapFree(log)
    const requested = log.filter((event) => event.type === 'ApprovalRequested')
    expect(requested.map((event) => event.data.toolName)).toEqual(['Bash', 'Edit', 'Bash'])
    const ran = log.filter((event) => event.type === 'ToolExecuted' && event.data.toolName === 'Bash')
    expect(
      ran.filter((event) => event.type === 'ToolExecuted' && !event.data.output.includes('interrupted')),
    ).toHaveLength(2)
    expect(log.filter((event) => event.type === 'ApprovalUsed')).toHaveLength(1)
    const { session } = await served.client.getSession(sessionId)
    expect(session.status).toBe('idle')
    expect(session.lastResult).toContain('3 of 3 pass')
  })

  it('between two turns: the next message is answered as usual', async () => {
    const served = await start()
    const { sessionId } = await served.client.createSession({ agent: 'hello', message: 'What can you do?' })
    await watchUntil(served, sessionId, isStatus('idle'))
    await killCli(served)
    const seq = await lastSeq(served, sessionId)
    await served.client.sendMessage(sessionId, { content: 'Say hello and tell me what you are.' })
    await watchUntil(served, sessionId, (event) => 'seq' in event && event.seq > seq && isStatus('idle')(event))
    const log = await wholeLog(served, sessionId)
    expectGapFree(log)
    const turns = log.filter((event) => event.type === 'TurnEnded')
    expect(turns.map((event) => event.data.outcome)).toEqual(['completed', 'completed'])
  })
})
