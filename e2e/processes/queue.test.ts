// More sessions than the machine can run at once: they queue, each sees its position, and all of them finish.
import type { QueuePosition, SessionId } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { countClis, serveConfigured } from '../support/server/configured-server.ts'
import { cliProcesses } from '../support/server/process-tree.ts'
import { vitalsOf } from '../support/server/process-vitals.ts'
import { scale } from '../support/server/scale.ts'
import type { ServedProcess } from '../support/server/serve-process.ts'
import { expectGapFree, isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'

const sessionCount = scale(8, 100)
const maxResident = 4
const patience = { timeout: 60_000 + sessionCount * 5000, interval: 250 }

const running: ServedProcess[] = []
async function start(config: string, options: Parameters<typeof serveConfigured>[1] = {}) {
  const served = await serveConfigured(config, options)
  running.push(served)
  return served
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.kill('SIGKILL')))
})

const few = `processes: { max_resident: ${maxResident}, max_running_turns: 3, hibernate_after: 3s, spares: false }\n`

async function untilIdle(served: ServedProcess, ids: readonly SessionId[]): Promise<void> {
  const left = new Set(ids)
  const countUnfinished = async () => {
    for (const sessionId of left) {
      const { session } = await served.client.getSession(sessionId)
      if (session.status === 'idle') left.delete(sessionId)
      else break // the others are created after it
    }
    return left.size
  }
  await expect.poll(countUnfinished, patience).toBe(0)
}

const createOne = async (served: ServedProcess): Promise<SessionId> =>
  (await served.client.createSession({ agent: 'hello', message: 'What can you do?' })).sessionId

/** The queue positions of a session, from first to last. */
async function queuePositionsOf(
  served: ServedProcess,
  sessionId: SessionId,
): Promise<readonly (QueuePosition | null)[]> {
  const seen = await watchUntil(served, sessionId, isStatus('idle'))
  return seen.flatMap((event) => (event.type === 'QueuePlaceChanged' ? [event.data.queuePosition] : []))
}

describe(`${sessionCount} sessions created at once`, () => {
  it('all finish with a few processes, show their positions, and release their memory', {
    timeout: 3_600_000,
  }, async () => {
    const served = await start(few)
    await untilIdle(served, [await createOne(served)])
    await expect.poll(() => cliProcesses(served.dataDir), patience).toEqual([])
    const before = (await vitalsOf(served.pid)).residentMiB

    const counting = countClis(served.dataDir)
    const ids = await Promise.all(Array.from({ length: sessionCount }, () => createOne(served)))
    // A session exists when its message is in the log. It joins the queue a moment later.
    const queued = async () => (await served.client.queue()).waiting.length
    await expect.poll(queued, patience).toBeGreaterThan(sessionCount / 2)
    const queue = await served.client.queue()
    expect(queue.processes).toMatchObject({ limit: maxResident })
    expect(queue.turns.running).toBeLessThanOrEqual(3)
    const positions = queue.waiting.map(({ queuePosition }) => queuePosition.position).sort((one, other) => one - other)
    expect(positions).toEqual(positions.map((_, index) => index + 1))
    const last = queue.waiting.at(-1)?.sessionId
    if (last === undefined) throw new Error('nobody waits')
    const { queuePosition, session } = await served.client.getSession(last)
    expect(session.status).toBe('queued')
    expect(queuePosition?.position).toBeGreaterThan(1)
    const queuePositions = (await queuePositionsOf(served, last)).map((one) => one?.position ?? 0)
    expect(queuePositions).toEqual([...queuePositions].sort((one, other) => other - one))
    expect(queuePositions.at(-1)).toBe(0)

    await untilIdle(served, ids)
    expect(await counting.stop()).toBeLessThanOrEqual(maxResident)
    for (const sessionId of ids) {
      const log = await wholeLog(served, sessionId)
      expectGapFree(log)
      expect(log.filter(({ type }) => type === 'TurnEnded').map(({ data }) => data)).toMatchObject([
        { outcome: 'completed' },
      ])
    }
    await expect.poll(() => cliProcesses(served.dataDir), patience).toEqual([])
    // The server notices an exit a moment after the process is gone.
    await expect
      .poll(async () => (await served.client.queue()).processes, patience)
      .toMatchObject({ resident: 0, spare: 0 })
    // The server's own memory, plus slack for its garbage collector.
    await expect.poll(async () => (await vitalsOf(served.pid)).residentMiB, patience).toBeLessThan(before + 80)
  })
})

describe('a server that ends while sessions are queued', () => {
  const two = 'processes: { max_resident: 2, max_running_turns: 2 }\n'

  it.each([
    ['kill -9', 'SIGKILL'],
    ['a drain', 'SIGTERM'],
  ] as const)('loses none of them on %s: each is answered once, and no process is left', async (_, signal) => {
    const first = await start(two)
    const ids = await Promise.all(Array.from({ length: 8 }, () => createOne(first)))
    await expect.poll(async () => (await first.client.queue()).waiting.length, patience).toBeLessThan(6)
    await first.kill(signal)
    await expect.poll(() => cliProcesses(first.dataDir), patience).toEqual([])

    const second = await start(two, { dataDir: first.dataDir, env: { HOME: first.home } })
    const unanswered = async () => {
      const sessions = await Promise.all(ids.map(async (id) => (await second.client.getSession(id)).session))
      return sessions.filter(({ status }) => status === 'queued' || status === 'running').length
    }
    await expect.poll(unanswered, patience).toBe(0)
    const logs = await Promise.all(ids.map((sessionId) => wholeLog(second, sessionId)))
    for (const log of logs) {
      expectGapFree(log)
      // A message that the agent had not received before the kill is queued again.
      const times = 1 + log.filter(({ type }) => type === 'UserMessageReturned').length
      expect(log.filter(({ type }) => type === 'UserMessageDelivered')).toHaveLength(times)
      expect(log.filter(({ type }) => type === 'TurnEnded')).toHaveLength(times)
    }
    const outcomes = logs.flatMap((log) =>
      log.flatMap((event) => (event.type === 'TurnEnded' ? [event.data.outcome] : [])),
    )
    expect(outcomes.filter((outcome) => outcome === 'interrupted').length).toBeLessThanOrEqual(2)
    expect(new Set(outcomes)).toContain('completed')
  })
})
