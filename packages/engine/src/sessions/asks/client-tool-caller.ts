// Calls the tools that clients run for one session, and waits for each result.
import {
  type ClientCallId,
  type ClientTool,
  leaderOf,
  type OpenClientCall,
  type UnreportedResult,
} from '@quarterdeck/protocol'
import type { ClientToolCaller } from '../../backends/backend.ts'
import type { CallHash } from '../../permissions/calls/call-hash.ts'
import { createIsThisCall } from '../../permissions/calls/is-this-call.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { ToolCall } from '../../ports/tool-call.ts'
import type { Redactor } from '../../redaction/redact.ts'
import { ownNameOf } from '../../tool-names/client-tool-names.ts'
import { type AskedIn, type ClientCallWaiters, type ClientResult, waitWhile } from '../state/ask-waiters.ts'
import type { SessionWriter } from '../state/session-writer.ts'

export interface ClientToolCallerOptions {
  readonly writer: SessionWriter
  readonly waiters: ClientCallWaiters
  /** The client tools of the agent file, with its descriptions. They exist whether or not a client is attached. */
  readonly declared: readonly ClientTool[]
  /** Whether the agent file allows a tool of this name. */
  readonly isOffered: (name: string) => boolean
  readonly onChange: (listener: () => void) => () => void
  readonly onCalled: (call: CallTimes) => void
  readonly redactor: Redactor
  readonly hashCall: CallHash
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
}

export interface CallTimes {
  readonly callId: ClientCallId
  /** The client that has until the deadline. */
  readonly leader: string | null
  readonly deadlineAt: string
  readonly parkedUntil: string
}

/** How long an attached client may take before the next one is asked. */
export const clientDeadlineMs = 5 * 60_000
/** How long a call waits for any client. */
const parkedMs = 24 * 3_600_000

export function createClientToolCaller(options: ClientToolCallerOptions): ClientToolCaller {
  const { writer, waiters, clock } = options
  const isThisCall = createIsThisCall(options)
  /** A result that was returned earlier serves one call. */
  const used = new Set<ClientCallId>()

  function list(): readonly ClientTool[] {
    const byName = new Map<string, ClientTool>()
    const attached = writer.state().clients.flatMap(({ tools }) => tools)
    for (const tool of [...options.declared, ...attached]) {
      if (!byName.has(tool.name) && options.isOffered(tool.name)) byName.set(tool.name, tool)
    }
    return [...byName.values()]
  }

  async function call(asked: ToolCall, signal: AbortSignal): Promise<ClientResult> {
    const name = ownNameOf(asked.toolName) ?? asked.toolName
    if (!list().some((tool) => tool.name === name)) {
      return { output: `No client offers ${name} any more. Go on without it.`, isError: true }
    }
    const named = { ...asked, toolName: name }
    const known = resultsSoFar().find((result) => isThisCall(result, named))
    if (known !== undefined) return use(known)
    const earlier = writer.state().clientCalls.find((open) => isLeftOpen(open) && isThisCall(open, named))
    const { toolUseId } = asked
    return earlier === undefined ? callAnew(named, signal) : takeUp(earlier.callId, { signal, toolUseId })
  }

  function resultsSoFar(): readonly UnreportedResult[] {
    const { kept, unreported } = writer.state()
    return [...kept, ...unreported].filter((one) => one.type === 'result').filter(({ callId }) => !used.has(callId))
  }

  function use({ callId, output, isError }: UnreportedResult): ClientResult {
    used.add(callId)
    return { output, isError }
  }

  const isLeftOpen = ({ turnId, callId }: OpenClientCall): boolean =>
    turnId !== writer.state().turn?.turnId && !waiters.isWaiting(callId)

  async function callAnew(asked: ToolCall, signal: AbortSignal): Promise<ClientResult> {
    const callId = options.ids.next('ctc')
    const now = clock.now().getTime()
    const deadlineAt = new Date(now + clientDeadlineMs).toISOString()
    const parkedUntil = new Date(now + parkedMs).toISOString()
    const leader = leaderOf(writer.state().clients, asked.toolName)
    const inputHash = options.hashCall(asked)
    const { answer } = await waitWhile(waiters, { id: callId, signal, toolUseId: asked.toolUseId }, () =>
      writer.apply({ type: 'client-call.call', callId, ...asked, inputHash, leader, deadlineAt, parkedUntil }),
    )
    options.onCalled({ callId, leader, deadlineAt, parkedUntil })
    return answer
  }

  async function takeUp(callId: ClientCallId, asked: AskedIn): Promise<ClientResult> {
    const { answer, giveUp } = await waitWhile(waiters, { id: callId, ...asked }, () =>
      writer.apply({ type: 'client-call.take-up', callId }),
    )
    // The result arrived just before the wait began: it is in the log, and no answer will come.
    const known = resultsSoFar().find((one) => one.callId === callId)
    if (known === undefined) return answer
    await giveUp()
    return use(known)
  }

  return {
    list,
    onChange: options.onChange,
    async call(asked, signal) {
      try {
        return await call(asked, signal)
      } catch (error) {
        options.logger.error({ sessionId: writer.sessionId, error: String(error) }, 'a client tool could not be called')
        return { output: 'The call could not be handed to a client: go on without it.', isError: true }
      }
    },
  }
}
