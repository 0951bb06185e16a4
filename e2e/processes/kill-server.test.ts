// The server is killed in the middle of its work, and nothing is lost.
import { emptyTranscript, foldTranscript, isDurable, type SessionEvent } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { processesMentioning } from '../support/server/process-tree.ts'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { allowAll, expectGapFree, isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'

const running: ServedProcess[] = []
async function start(options: Parameters<typeof serveProcess>[0] = {}): Promise<ServedProcess> {
  const served = await serveProcess({ ...options, args: ['--model-source', 'simulator', ...(options.args ?? [])] })
  running.push(served)
  return served
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.kill('SIGKILL')))
})

describe('kill -9 of the server', () => {
  it('while an approval waits: it is still open, can be decided, and the call runs exactly once', async () => {
    const first = await start()
    const { sessionId } = await first.client.createSession({
      agent: 'coder',
      message: 'Find and fix the failing test.',
    })
    const before = await watchUntil(first, sessionId, isStatus('waiting_approval'))
    await first.kill('SIGKILL')
    await expect.poll(() => processesMentioning(first.dataDir)).toEqual([])

    const second = await start({ dataDir: first.dataDir })
    const { session } = await second.client.getSession(sessionId)
    expect(session.status).toBe('waiting_approval')
    const [open] = (await second.client.listApprovals()).approvals
    expect(open).toBeDefined()
    const after = await allowAll(second, sessionId)
    const log = await wholeLog(second, sessionId)
    expectGapFree(log)
    // The events of the first client are exactly the beginning of the log.
    expect(log.slice(0, before.filter(isDurable).length)).toEqual(before.filter(isDurable))
    const used = log.filter((event) => event.type === 'ApprovalUsed')
    expect(used).toHaveLength(1)
    expect(log.some((event) => event.type === 'AgentSessionRecovered')).toBe(true)
    expect(after.at(-1)).toMatchObject({ type: 'AgentSessionStatusChanged', data: { to: 'idle' } })
    expect((await second.client.getSession(sessionId)).session.lastResult).toMatch(/3 .*pass|pass.* 3/i)
  })

  it('while text streams: visible text is in the log, and the session continues', async () => {
    const args = ['--script', new URL('../scenarios/long-story.yaml', import.meta.url).pathname]
    const first = await start({ args })
    const { sessionId } = await first.client.createSession({ agent: 'hello', message: 'Tell me a story.' })
    let tokens = 0
    const seen = await watchUntil(first, sessionId, (event) => event.type === 'AgentStreamToken' && ++tokens > 3)
    await first.kill('SIGKILL')

    const second = await start({ dataDir: first.dataDir, args })
    const log = await wholeLog(second, sessionId)
    expectGapFree(log)
    const { items } = foldTranscript(emptyTranscript, seen)
    const [shown = ''] = items.flatMap((item) => (item.type === 'text' ? [item.text] : []))
    expect(shown).not.toBe('')
    const discarded = log.flatMap((event) => (event.type === 'AgentStreamDiscarded' ? [event.data] : []))
    expect(discarded).toMatchObject([{ reason: 'the server stopped' }])
    expect(discarded[0]?.text.slice(0, shown.length)).toBe(shown)
    expect((await second.client.getSession(sessionId)).session.status).toBe('interrupted')
    await second.client.sendMessage(sessionId, { content: 'What can you do?' })
    await watchUntil(
      second,
      sessionId,
      (event) => isDurable(event) && event.seq > log.length && isStatus('idle')(event),
    )
  })

  it('while a tool runs: no process is left, and the log says that its outcome is unknown', async () => {
    const script = new URL('../scenarios/long-command.yaml', import.meta.url).pathname
    const first = await start({ args: ['--script', script] })
    const { sessionId } = await first.client.createSession({ agent: 'coder', message: 'Run something long.' })
    const seen = await watchUntil(first, sessionId, isStatus('waiting_approval'))
    const request = seen.find((event) => event.type === 'ApprovalRequested')
    if (request?.type !== 'ApprovalRequested') throw new Error('nothing was asked')
    await first.client.decideApproval(request.data.approvalId, { decision: 'allow' })
    const commands = () => processesMentioning('quarterdeck-long-command', first.dataDir)
    await expect.poll(commands).not.toEqual([])
    await first.kill('SIGKILL')
    await expect.poll(commands).toEqual([])
    await expect.poll(() => processesMentioning(first.dataDir)).toEqual([])

    const second = await start({ dataDir: first.dataDir })
    const log = await wholeLog(second, sessionId)
    expectGapFree(log)
    const recovered = log.find((event) => event.type === 'AgentSessionRecovered')
    expect(recovered?.data).toMatchObject({ outcomeUnknown: [{ toolName: 'Bash' }] })
  })

  it('right after a message was acknowledged: it is in the log once, and answered unless its answer had begun', async () => {
    const first = await start()
    const { sessionId } = await first.client.createSession({ agent: 'hello' })
    const { messageId } = await first.client.sendMessage(sessionId, { content: 'What can you do?' })
    await first.kill('SIGKILL')
    const second = await start({ dataDir: first.dataDir })
    await watchUntil(second, sessionId, isStatus('idle', 'interrupted'))
    const log = await wholeLog(second, sessionId)
    expectGapFree(log)
    expect(messagesIn(log)).toEqual([{ messageId, content: 'What can you do?' }])
    // The turn starts right after the message is stored. The log shows how it ended in either case.
    const wasCutOff = log.some((event) => event.type === 'AgentSessionRecovered')
    const wasReturned = log.some((event) => event.type === 'UserMessageReturned')
    const { session } = await second.client.getSession(sessionId)
    expect(session.status).toBe(wasCutOff && !wasReturned ? 'interrupted' : 'idle')
    const begunAgain = wasReturned || !wasCutOff ? ['completed'] : []
    expect(outcomesIn(log)).toEqual([...(wasCutOff ? ['interrupted'] : []), ...begunAgain])
  })

  const turnBegan = isStatus('running')
  const isToken: typeof turnBegan = (event) => event.type === 'AgentStreamToken'

  it.each([
    ['when a turn begins', turnBegan, 0],
    ['150 ms after a turn began', turnBegan, 150],
    ['600 ms after a turn began', turnBegan, 600],
    ['at the first words of an answer', isToken, 0],
  ])('%s: the agent still receives the message', async (_, isMoment, ms) => {
    const first = await start()
    const { sessionId } = await first.client.createSession({ agent: 'hello', message: 'Hello!' })
    await watchUntil(first, sessionId, isStatus('idle'))
    const { messageId, appliedSeq } = await first.client.sendMessage(sessionId, { content: 'My name is Bob.' })
    let isNewTurn = false
    await watchUntil(first, sessionId, (event) => {
      isNewTurn ||= isDurable(event) && event.seq > appliedSeq
      return isNewTurn && isMoment(event)
    })
    await new Promise((resolve) => setTimeout(resolve, ms))
    await first.kill('SIGKILL')

    const second = await start({ dataDir: first.dataDir })
    const rests = async () =>
      ['idle', 'interrupted'].includes((await second.client.getSession(sessionId)).session.status)
    await expect.poll(rests).toBe(true)
    const { seq } = (await second.client.getSession(sessionId)).session
    await second.client.sendMessage(sessionId, { content: 'What is my name?' })
    await watchUntil(second, sessionId, (event) => isDurable(event) && event.seq > seq && isStatus('idle')(event))
    expect((await second.client.getSession(sessionId)).session.lastResult).toContain('Bob')
    const log = await wholeLog(second, sessionId)
    expectGapFree(log)
    expect(
      log.filter((event) => event.type === 'UserMessageQueued' && event.data.messageId === messageId),
    ).toHaveLength(1)
  })

  it('while a message is queued: it is answered once after the restart, without being sent again', async () => {
    const args = ['--script', new URL('../scenarios/slow-words.yaml', import.meta.url).pathname]
    const first = await start({ args })
    const { sessionId } = await first.client.createSession({ agent: 'hello', message: 'Tell it slowly.' })
    await watchUntil(first, sessionId, (event) => event.type === 'AgentStreamToken')
    const { messageId } = await first.client.sendMessage(sessionId, { content: 'And this?' })
    await first.kill('SIGKILL')
    const second = await start({ dataDir: first.dataDir, args })
    await watchUntil(second, sessionId, isStatus('idle'))
    const log = await wholeLog(second, sessionId)
    expectGapFree(log)
    expect(messagesIn(log)).toMatchObject([{ content: 'Tell it slowly.' }, { messageId, content: 'And this?' }])
    expect(outcomesIn(log)).toEqual(['interrupted', 'completed'])
    expect((await second.client.getSession(sessionId)).session.lastResult).toBe('Right away.')
  })
})

const messagesIn = (log: readonly SessionEvent[]) =>
  log.flatMap((event) =>
    event.type === 'UserMessageQueued' ? [{ messageId: event.data.messageId, content: event.data.content }] : [],
  )

const outcomesIn = (log: readonly SessionEvent[]) =>
  log.flatMap((event) => (event.type === 'TurnEnded' ? [event.data.outcome] : []))

describe('two servers', () => {
  it('cannot share a data folder: the second is refused with the address of the first', async () => {
    const first = await start()
    await expect(start({ dataDir: first.dataDir })).rejects.toThrow(new RegExp(first.url))
  })

  it('SIGTERM drains: the waiting approval survives, and the next server has it', async () => {
    const first = await start()
    const { sessionId } = await first.client.createSession({
      agent: 'coder',
      message: 'Find and fix the failing test.',
    })
    await watchUntil(first, sessionId, isStatus('waiting_approval'))
    await first.kill('SIGTERM')
    expect(await processesMentioning(first.dataDir)).toEqual([])
    const second = await start({ dataDir: first.dataDir })
    expect((await second.client.listApprovals()).approvals).toHaveLength(1)
  })
})
