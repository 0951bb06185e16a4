// Invariants after every fault: no acknowledged change is lost or repeated, no call runs twice for one approval, no
// process is left over, and all served usage is booked.
import { isDurable, type SessionEvent, type SessionId, type StreamedEvent } from '@quarterdeck/protocol'
import { expect } from 'vitest'
import type { LoopbackProvider } from '../support/network/loopback-provider.ts'
import { processesMentioning } from '../support/server/process-tree.ts'
import type { Served } from '../support/server/serve.ts'
import { expectGapFree, wholeLog } from '../support/server/watched-session.ts'

export interface Evidence {
  /** The events a client received, from the first one. */
  readonly seen?: readonly StreamedEvent[]
  /** Contents of the acknowledged messages. */
  readonly acknowledged?: readonly string[]
}

/** Reads the whole log of a session and compares it with what its clients know. Resolves with the log. */
export async function expectSessionIntact(
  served: Served,
  sessionId: SessionId,
  { seen = [], acknowledged = [] }: Evidence = {},
): Promise<readonly SessionEvent[]> {
  let log: readonly SessionEvent[] = []
  // The two are read one after the other: an idle session may hibernate in between, which adds an event.
  const missing = async () => {
    log = await wholeLog(served, sessionId)
    return (await served.client.getSession(sessionId)).session.seq - log.length
  }
  await expect.poll(missing).toBe(0)
  expectGapFree(log)
  expect(new Set(log.map(({ id }) => id)).size).toBe(log.length)
  const durable = seen.filter(isDurable)
  expect(durable).toEqual(log.slice(0, durable.length))
  for (const content of acknowledged) expect([content, timesQueued(log, content)]).toEqual([content, 1])
  expectOneRunPerApproval(log)
  return log
}

const timesQueued = (log: readonly SessionEvent[], content: string): number =>
  log.filter((event) => event.type === 'UserMessageQueued' && event.data.content === content).length

/** An approved call has at most one result other than "it never ran". */
function expectOneRunPerApproval(log: readonly SessionEvent[]): void {
  const allowed = log.flatMap((event) =>
    event.type === 'ApprovalDecided' && event.data.decision !== 'deny' ? [event.data.approvalId] : [],
  )
  expect(new Set(allowed).size).toBe(allowed.length)
  const used = log.flatMap((event) => (event.type === 'ApprovalUsed' ? [event.data.approvalId] : []))
  expect(new Set(used).size).toBe(used.length)
  const executed = log.flatMap((event) => (event.type === 'ToolExecuted' ? [event.data.toolUseId] : []))
  expect(new Set(executed).size).toBe(executed.length)
}

/** The audit chain is valid, and no agent runs after the server has ended. Ends the server. */
export async function expectServerIntact(served: Served): Promise<void> {
  expect(await served.client.verifyAudit()).toMatchObject({ ok: true })
  await served.stop()
  await expect.poll(() => processesMentioning(served.dataDir)).toEqual([])
}

export interface Interruptions {
  /** The number of server kills. Each may have hit one response that the server had not read yet. */
  readonly kills: number
  /** The events a client received: a response with a visible word is booked in any case. */
  readonly seen: readonly StreamedEvent[]
}

/**
 * Every response the provider began is booked once, with its reported tokens. Responses that were cut off are
 * estimates. Returns the number of unread responses.
 */
export function expectBooked(
  provider: LoopbackProvider,
  logs: readonly (readonly SessionEvent[])[],
  { kills, seen }: Interruptions = { kills: 0, seen: [] },
): number {
  const booked = new Map<string, Extract<SessionEvent, { type: 'UsageRecorded' }>['data'][]>()
  for (const event of logs.flat()) {
    if (event.type !== 'UsageRecorded') continue
    booked.set(event.data.apiMessageId, [...(booked.get(event.data.apiMessageId) ?? []), event.data])
  }
  const answers = provider.served().requests.filter(({ messageId }) => messageId !== null)
  expect(answers.length).toBeGreaterThan(0)
  const shown = new Set(seen.flatMap((event) => (event.type === 'AgentStreamToken' ? [event.data.messageId] : [])))
  const timesBooked = ({ messageId }: (typeof answers)[number]) => booked.get(messageId ?? '')?.length ?? 0
  const unread = answers.filter((answer) => timesBooked(answer) === 0 && !shown.has(answer.messageId ?? ''))
  expect(unread.slice(kills)).toEqual([])
  const known = answers.filter((answer) => !unread.includes(answer))
  expect(known.filter((answer) => timesBooked(answer) !== 1)).toEqual([])
  for (const { messageId, usage } of known) {
    const tokens = booked.get(messageId ?? '')?.[0]?.tokens
    expect(tokens).toMatchObject({
      input: usage?.inputTokens,
      cacheRead: usage?.cacheReadInputTokens,
      cacheWrite: usage?.cacheCreationInputTokens,
    })
    if (tokens?.isOutputEstimated !== true) expect(tokens?.output).toBe(usage?.outputTokens)
  }
  return unread.length
}
