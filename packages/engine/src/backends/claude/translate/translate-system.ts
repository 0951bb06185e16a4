// Messages about the session itself.
import { draft } from '@quarterdeck/protocol'
import type { z } from 'zod'
import type { BackendEvent } from '../../backend.ts'
import type { CompactMessage, FallbackMessage, InitMessage, RefusedPrompt, RetryMessage } from './sdk-message.ts'
import { answerTool, toolNameOf } from './translate-assistant.ts'
import { discardOpen } from './translate-stream.ts'
import { chain, emit, type Translated, type Translation } from './translation.ts'

/** The CLI sends it at the start of every turn. Only a new conversation is reported. */
export function startSession(state: Translation, init: InitMessage): Translated {
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

export function retryRequest(state: Translation, retry: z.infer<typeof RetryMessage>): Translated {
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

export function fallBack(state: Translation, fallback: z.infer<typeof FallbackMessage>): Translated {
  const { original_model: from, fallback_model: to } = fallback
  const reason = fallback.content ?? fallback.trigger ?? 'unknown'
  // A subagent's fallback does not change the session's model.
  const model = fallback.scope === 'local' ? state.model : to
  return chain({ ...state, model }, [
    (before) => discardOpen(before, 'the request was sent to another model'),
    (before) => emit(before, [draft('ModelFellBack', { from, to, reason })]),
  ])
}

export function noteCompaction(state: Translation, { compact_metadata }: z.infer<typeof CompactMessage>): Translated {
  const { trigger, pre_tokens: preTokens } = compact_metadata
  return emit(state, [draft('AgentContextCompacted', { preTokens, trigger })])
}

export function notePromptRefusal(state: Translation, sent: z.infer<typeof RefusedPrompt>): Translated {
  const { reason = 'a hook refused the message' } = sent.prompt_submit_outcome
  return { state: { ...state, refusedPrompt: reason }, events: [] }
}
