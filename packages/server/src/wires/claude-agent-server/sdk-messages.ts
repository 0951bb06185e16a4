// Maps events to messages of the Claude Agent SDK, in the form of its `query()`. One message per finished block,
// several with one API message id, as the CLI sends them.
import { hashUuid } from '@quarterdeck/engine'
import { type EventOfType, isDurable, type SessionEvent, type StreamedEvent } from '@quarterdeck/protocol'
import { type BlockEvent, contentBlock, messageInProgress, type SdkMessage, type Speaker } from './sdk-message.ts'
import { sdkModeOf } from './sdk-permission-mode.ts'
import { createSdkUsage, type SdkUsage } from './sdk-usage.ts'
import { createStreamEvents } from './stream-events.ts'

export interface SdkMessageOptions {
  /** With `stream_event` messages for partial text. */
  readonly isPartial: boolean
}

export function createSdkMessages({ isPartial }: SdkMessageOptions) {
  const usage = createSdkUsage()
  let started: EventOfType<'AgentSessionStarted'> | null = null
  /** The last process is gone: the next one describes itself. */
  let isProcessGone = false
  let isInTurn = false
  let lastSent: string | null = null
  let model = ''
  const speaker: Speaker = { model: () => model, usage }
  const stream = isPartial ? createStreamEvents(speaker) : null

  function translateInit(): readonly SdkMessage[] {
    if (started === null) return []
    const message = initMessage(started, model)
    // The CLI sends it once per turn; a process that starts during a turn has nothing new to report.
    const text = JSON.stringify({ ...message, uuid: '' })
    if (text === lastSent) return []
    lastSent = text
    return [message]
  }

  function note(event: SessionEvent): readonly SdkMessage[] {
    switch (event.type) {
      case 'TurnStarted':
        isInTurn = true
        lastSent = null
        model = event.data.model
        return isProcessGone ? [] : translateInit()
      case 'AgentSessionStarted':
        started = event
        isProcessGone = false
        if (model === '') model = event.data.model
        return isInTurn ? translateInit() : []
      case 'AgentSessionHibernated':
      case 'AgentSessionRecovered':
      case 'BackendCrashed':
        isProcessGone = true
        return []
      case 'ModelFellBack':
        if (event.agent === null) model = event.data.to
        return []
      case 'PermissionModeChanged':
        if (started !== null) started = { ...started, data: { ...started.data, permissionMode: event.data.to } }
        return []
      case 'McpServerStatusChanged':
        started = started === null ? null : withServer(started, event.data)
        return []
      case 'UsageRecorded':
        usage.book(event)
        return []
      case 'TurnEnded':
        isInTurn = false
        return [resultMessage(event, usage)]
      default: {
        const message = messageOf(event, speaker)
        return message === null ? [] : [message]
      }
    }
  }

  return {
    /**
     * Must be called with every event of the session from the first one on: it keeps sums and the state of the process.
     */
    of(event: StreamedEvent): readonly SdkMessage[] {
      if (!isDurable(event)) return stream?.ofText(event) ?? []
      const messages = note(event)
      return stream === null ? messages : stream.around(event, messages)
    },
    /** For a client that joins later: the init message. A message in progress starts again for it. */
    join(): readonly SdkMessage[] {
      stream?.forget()
      return started === null ? [] : [initMessage(started, model)]
    },
  }
}

/** The fields that every message has. */
const stamp = (event: Pick<SessionEvent, 'id' | 'sessionId'>, part = '') => ({
  uuid: hashUuid(`${event.id}${part}`),
  session_id: event.sessionId,
})

/** `null` for the lead agent, else the call that started the subagent. */
export const parentOf = ({ agent }: Pick<SessionEvent, 'agent'>): string | null => agent?.at(-1) ?? null

function initMessage(event: EventOfType<'AgentSessionStarted'>, model: string): SdkMessage {
  const { data } = event
  return {
    type: 'system',
    subtype: 'init',
    ...stamp(event, `/${model}`),
    cwd: data.cwd,
    tools: data.tools,
    model: model === '' ? data.model : model,
    mcp_servers: data.mcpServers.map(({ name, status }) => ({ name, status })),
    permissionMode: sdkModeOf(data.permissionMode),
    slash_commands: data.slashCommands,
    apiKeySource: data.apiKeySource,
    output_style: data.outputStyle,
  }
}

function withServer(
  started: EventOfType<'AgentSessionStarted'>,
  { name, status }: { readonly name: string; readonly status: string },
): EventOfType<'AgentSessionStarted'> {
  const others = started.data.mcpServers.filter((server) => server.name !== name)
  return { ...started, data: { ...started.data, mcpServers: [...others, { name, status }] } }
}

function messageOf(event: SessionEvent, speaker: Speaker): SdkMessage | null {
  switch (event.type) {
    case 'AgentThought':
    case 'SubagentThought':
    case 'AgentThinking':
    case 'AgentInvokedTool':
      return assistantMessage(event, speaker)
    case 'ToolExecuted': {
      const { toolUseId, output, isError } = event.data
      const content = [{ type: 'tool_result', tool_use_id: toolUseId, content: output, is_error: isError }]
      return {
        type: 'user',
        message: { role: 'user', content },
        parent_tool_use_id: parentOf(event),
        ...stamp(event),
        ...(isError ? { tool_use_result: `Error: ${output}` } : {}),
      }
    }
    case 'AgentContextCompacted': {
      const { trigger, preTokens } = event.data
      const compact_metadata = { trigger, pre_tokens: preTokens }
      return { type: 'system', subtype: 'compact_boundary', compact_metadata, ...stamp(event) }
    }
    case 'ModelRequestRetrying': {
      const { attempt, maxRetries: max_retries, delayMs: retry_delay_ms, status: error_status, error } = event.data
      const retry = { attempt, max_retries, retry_delay_ms, error_status, error }
      return { type: 'system', subtype: 'api_retry', ...retry, ...stamp(event) }
    }
    default:
      return null
  }
}

function assistantMessage(event: BlockEvent, speaker: Speaker): SdkMessage {
  const message = messageInProgress(event.data.messageId, [contentBlock(event)], speaker)
  return { type: 'assistant', message, parent_tool_use_id: parentOf(event), ...stamp(event) }
}

const subtypes = {
  completed: 'success',
  turn_limit: 'error_max_turns',
  budget_limit: 'error_max_budget_usd',
  failed: 'error_during_execution',
  interrupted: 'error_during_execution',
  timeout: 'error_during_execution',
  crashed: 'error_during_execution',
} as const

function resultMessage(event: EventOfType<'TurnEnded'>, usage: SdkUsage): SdkMessage {
  const { outcome, result, durationMs, durationApiMs, permissionDenials } = event.data
  const subtype = subtypes[outcome]
  const { structuredOutput, errorReason, response } = result
  return {
    type: 'result',
    subtype,
    is_error: subtype !== 'success',
    ...stamp(event),
    duration_ms: durationMs,
    duration_api_ms: durationApiMs,
    num_turns: result.numTurns,
    stop_reason: null,
    ...(subtype === 'success' ? { result: response } : { errors: [errorReason ?? outcome] }),
    ...(structuredOutput === null || structuredOutput === undefined ? {} : { structured_output: structuredOutput }),
    ...usage.endTurn(event),
    permission_denials: permissionDenials,
  }
}
