// Calls the tools that clients run for one session, and waits for each result.
import {
  type ClientCallId,
  type ClientTool,
  draft,
  type EventDraft,
  leaderOf,
  type UnreportedResult,
} from '@quarterdeck/protocol'
import type { ClientToolCaller } from '../../backends/backend.ts'
import { type CallHash, createIsThisCall } from '../../permissions/calls/call-hash.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { ToolCall } from '../../ports/tool-call.ts'
import type { Redactor } from '../../redaction/redact.ts'
import { ownNameOf } from '../../tool-names/client-tool-names.ts'
import type { ClientResult } from '../rules/ask-kinds/ask-strategy.ts'
import { type AskerOptions, createAsker } from './asker.ts'

export interface ClientToolCallerOptions extends AskerOptions {
  /** The client tools of the agent file, with its descriptions. They exist whether or not a client is attached. */
  readonly declared: readonly ClientTool[]
  /** Whether the agent file allows a tool of this name. */
  readonly isOffered: (name: string) => boolean
  readonly onChange: (listener: () => void) => () => void
  readonly redactor: Redactor
  readonly hashCall: CallHash
  readonly ids: Ids
  readonly logger: Logger
}

/** How long an attached client may take before the next one is asked. */
export const clientDeadlineMs = 5 * 60_000
/** How long a call waits for any client. */
const parkedMs = 24 * 3_600_000

export function createClientToolCaller(options: ClientToolCallerOptions): ClientToolCaller {
  const { writer } = options
  const asker = createAsker(options)
  const isThisCall = createIsThisCall(options)

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
    const known = asker
      .reports()
      .filter((report) => report.type === 'result')
      .find((one) => isThisCall(one, named))
    if (known !== undefined) return use(known)
    const call = { signal, toolUseId: asked.toolUseId }
    const earlier = writer.state().clientCalls.find((open) => asker.isLeftOpen(open) && isThisCall(open, named))
    if (earlier !== undefined) return asker.takeUp(earlier.callId, call, use)
    const callId = options.ids.next('ctc')
    return asker.request(callId, called(callId, named), call)
  }

  function use(report: UnreportedResult): ClientResult {
    asker.markUsed(report)
    return { output: report.output, isError: report.isError }
  }

  function called(callId: ClientCallId, { agent, ...call }: ToolCall): EventDraft<'ClientToolCalled'> {
    const leader = leaderOf(writer.state().clients, call.toolName)
    const times = { deadlineAt: asker.timeIn(clientDeadlineMs), parkedUntil: asker.timeIn(parkedMs) }
    const inputHash = options.hashCall(call)
    return draft('ClientToolCalled', { callId, ...call, inputHash, leader, ...times }, { agent })
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
