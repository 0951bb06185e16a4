import { draft } from '@quarterdeck/protocol'
import type { BackendEvent } from '../../backend.ts'
import { rawMessage } from './raw-message.ts'
import {
  type AnyMessage,
  CompactMessage,
  FallbackMessage,
  InitMessage,
  RefusedPrompt,
  RetryMessage,
  TaskNotification,
  TaskStarted,
} from './sdk-message.ts'
import { answerTool, toolNameOf } from './translate-assistant.ts'
import { discardOpen } from './translate-stream.ts'
import { notifySubagent, startSubagent } from './translate-subagent.ts'
import { chain, emit, type Translated, type Translation } from './translation.ts'

export function translateSystem(state: Translation, message: AnyMessage): Translated {
  switch (message.subtype) {
    case 'init': {
      const init = InitMessage.safeParse(message)
      if (init.success) return startSession(state, init.data)
      break
    }
    case 'api_retry': {
      const retry = RetryMessage.safeParse(message)
      if (retry.success) return retryRequest(state, retry.data)
      break
    }
    case 'model_fallback':
    case 'model_refusal_fallback': {
      const fallback = FallbackMessage.safeParse(message)
      if (fallback.success) return fallBack(state, fallback.data)
      break
    }
    case 'compact_boundary': {
      const compact = CompactMessage.safeParse(message)
      if (!compact.success) break
      const { trigger, pre_tokens: preTokens } = compact.data.compact_metadata
      return emit(state, [draft('AgentContextCompacted', { preTokens, trigger })])
    }
    case 'informational': {
      const refused = RefusedPrompt.safeParse(message)
      if (!refused.success) break
      const { reason = 'a hook refused the message' } = refused.data.prompt_submit_outcome
      return { state: { ...state, refusedPrompt: reason }, events: [] }
    }
    case 'task_started': {
      const task = TaskStarted.safeParse(message)
      if (!task.success) break
      // Shells and monitors are tasks too, but their calls are events already.
      return task.data.task_type === 'local_agent' ? startSubagent(state, task.data) : { state, events: [] }
    }
    case 'task_notification': {
      const parsed = TaskNotification.safeParse(message)
      if (parsed.success) return notifySubagent(state, parsed.data)
      break
    }
  }
  return emit(state, [rawMessage(message)])
}

/** The CLI sends it at the start of every turn. Only a new conversation is reported. */
function startSession(state: Translation, init: InitMessage): Translated {
  // The tool for structured answers is not a tool of the agent.
  const tools = init.tools.filter((name) => state.outputCheck === null || name !== answerTool).map(toolNameOf)
  const known = {
    ...state,
    model: init.model,
    backendSessionId: init.session_id,
    tools,
    mcpServers: new Map(init.mcp_servers.map(({ name, status }) => [name, status])),
  }
  if (state.backendSessionId === init.session_id) return emit(known, mcpChanges(state, init))
  return emit(known, [
    draft('AgentSessionStarted', {
      sessionId: state.sessionId,
      model: init.model,
      tools,
      cwd: init.cwd,
      permissionMode: state.permissionMode,
      mcpServers: init.mcp_servers,
      slashCommands: init.slash_commands,
      apiKeySource: init.apiKeySource,
      outputStyle: init.output_style,
      backendSessionId: init.session_id,
      modelSource: state.modelSource,
    }),
  ])
}

function mcpChanges(state: Translation, init: InitMessage): readonly BackendEvent[] {
  return init.mcp_servers
    .filter(({ name, status }) => state.mcpServers.get(name) !== status)
    .map(({ name, status, error }) =>
      draft('McpServerStatusChanged', { name, status, error: typeof error === 'string' ? error : null }),
    )
}

function retryRequest(state: Translation, retry: ReturnType<typeof RetryMessage.parse>): Translated {
  return chain(state, [
    (before) => discardOpen(before, 'the stream broke and the request was sent again'),
    (before) =>
      emit(before, [
        draft('ModelRequestRetrying', {
          attempt: retry.attempt,
          maxRetries: retry.max_retries,
          delayMs: retry.retry_delay_ms,
          status: retry.error_status,
          error: retry.error,
        }),
      ]),
  ])
}

function fallBack(state: Translation, fallback: ReturnType<typeof FallbackMessage.parse>): Translated {
  const { original_model: from, fallback_model: to } = fallback
  const reason = fallback.content ?? fallback.trigger ?? 'unknown'
  // A subagent's fallback does not change the session's model.
  const model = fallback.scope === 'local' ? state.model : to
  return chain({ ...state, model }, [
    (before) => discardOpen(before, 'the request was sent to another model'),
    (before) => emit(before, [draft('ModelFellBack', { from, to, reason })]),
  ])
}
