// Maps events of a session to chunks of this wire.
import { toWireUsage } from '@quarterdeck/model'
import {
  cutText,
  type EventOfType,
  isDurable,
  type ModelSummary,
  type SessionEvent,
  type SessionStatus,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { labelOf, modelInfo } from './chat-models.ts'
import { chunk, type StreamChunk, turnEndChunk } from './stream-chunk.ts'
import { createTextParts, isOfLead } from './text-parts.ts'

export interface EventChunksOptions {
  readonly sessionId: string
  /** `auto`, or the id of a model. */
  readonly model: string
  readonly models: readonly ModelSummary[]
}

/** Front ends show every result as a block, so it is shortened; the native API has the whole. */
const shownOutput = 500

/** Statuses in which a session answers nothing more without an action. */
const stopped: ReadonlySet<SessionStatus> = new Set([
  'paused',
  'failed',
  'cancelled',
  'context_exhausted',
  'stopped_budget',
  'stopped_turns',
])
export const isStopped = (status: SessionStatus): boolean => stopped.has(status)

/** One per reader: it tracks the text that the reader has received. */
export function createEventChunks({ sessionId, model, models }: EventChunksOptions) {
  const texts = createTextParts()
  let selected = model
  let running: string | null = null
  let costUsd: number | null = null
  /** Messages that no turn has taken up yet. */
  const waiting = new Set<string>()

  function turnEnded({ data }: EventOfType<'TurnEnded'>): StreamChunk {
    texts.clear()
    const { tokenUsage, numTurns, errorReason } = data.result
    const metadata = {
      session_id: sessionId,
      outcome: data.outcome,
      model: modelInfo(selected, labelOf(selected, models)),
      ...(running === null ? {} : { model_used: { model: running, model_display: labelOf(running, models) } }),
      usage: toWireUsage(tokenUsage),
      cost_usd: costUsd ?? data.reportedCostUsd,
      duration_ms: data.durationMs,
      num_turns: numTurns,
    }
    if (data.outcome === 'completed' || data.outcome === 'interrupted') return turnEndChunk(metadata)
    return chunk('error', `Error processing message: ${errorReason ?? data.outcome}`, metadata)
  }

  function ofDurable(event: SessionEvent): StreamChunk | null {
    switch (event.type) {
      case 'UserMessageQueued':
        waiting.add(event.data.messageId)
        return null
      case 'UserMessageDelivered':
      case 'UserMessageCancelled':
        waiting.delete(event.data.messageId)
        return null
      case 'TurnStarted':
        running = event.data.model
        costUsd = null
        return null
      case 'ModelChanged':
        selected = event.data.to
        return null
      case 'UsageRecorded':
        if (event.data.costUsd !== null) costUsd = (costUsd ?? 0) + event.data.costUsd
        return null
      case 'AgentThought':
        return isOfLead(event) ? textChunk('text', texts.whole(event.data, 'text')) : null
      case 'AgentThinking':
        return isOfLead(event) ? textChunk('thinking', texts.whole(event.data, 'thinking')) : null
      case 'AgentStreamDiscarded':
        texts.drop(event.data.messageId)
        return isOfLead(event) ? chunk('text_discarded', event.data.text, { reason: event.data.reason }) : null
      case 'TurnEnded':
        return turnEnded(event)
      case 'AgentSessionStatusChanged':
        return waiting.size > 0 && isStopped(event.data.to) ? stoppedChunk(event) : null
      default:
        return askChunk(event) ?? toolChunk(event)
    }
  }

  function stoppedChunk({ data: { to, reason } }: EventOfType<'AgentSessionStatusChanged'>): StreamChunk {
    waiting.clear()
    return chunk('error', `Error processing message: ${reason ?? `the session is ${to}`}`, { session_id: sessionId })
  }

  return (event: StreamedEvent): StreamChunk | null => {
    if (isDurable(event)) return ofDurable(event)
    if (event.type === 'QueuePlaceChanged' || !isOfLead(event)) return null
    const { kind } = event.data
    const more = event.type === 'AgentStreamToken' ? texts.piece(event.data, kind) : texts.soFar(event.data, kind)
    return textChunk(kind, more)
  }
}

const textChunk = (type: 'text' | 'thinking', text: string): StreamChunk | null =>
  text === '' ? null : chunk(type, text)

function toolChunk(event: SessionEvent): StreamChunk | null {
  const parent = event.agent === null ? {} : { parent_tool_use_id: event.agent.at(-1) ?? null }
  switch (event.type) {
    case 'AgentInvokedTool': {
      const { toolUseId: id, toolName: name, toolInput: input } = event.data
      return chunk('tool_use', `Using tool: ${name}`, { id, name, input, ...parent })
    }
    case 'ToolExecuted': {
      const { toolUseId: id, toolName: name, output, isError, durationMs } = event.data
      const isCut = output.length > shownOutput
      const metadata = { id, name, is_error: isError, duration_ms: durationMs, is_cut: isCut, ...parent }
      return chunk('tool_result', isCut ? `${cutText(output, shownOutput)}…` : output, metadata)
    }
    default:
      return null
  }
}

type Asked = EventOfType<'ApprovalRequested'>['data']
type Question = EventOfType<'QuestionAsked'>['data']

export function approvalChunk({ approvalId, toolName, toolUseId, toolInput, rule, expiresAt }: Asked): StreamChunk {
  const asked = { id: approvalId, tool_use_id: toolUseId, name: toolName, input: toolInput }
  return chunk('approval_request', `Approval needed: ${toolName}`, { ...asked, rule, expires_at: expiresAt })
}

export function questionChunk({ questionId, message, items, schema, url, expiresAt }: Question): StreamChunk {
  const words = message === '' ? items.map(({ question }) => question).join('\n') : message
  return chunk('question', words, { id: questionId, questions: items, schema, url, expires_at: expiresAt })
}

function askChunk(event: SessionEvent): StreamChunk | null {
  switch (event.type) {
    case 'ApprovalRequested':
      return approvalChunk(event.data)
    case 'ApprovalDecided': {
      const { approvalId: id, decision, by } = event.data
      return chunk('approval_settled', `Approval: ${decision}`, { id, decision, by })
    }
    case 'ApprovalExpired':
      return chunk('approval_settled', 'Approval: expired', { id: event.data.approvalId, decision: 'expired' })
    case 'QuestionAsked':
      return questionChunk(event.data)
    case 'QuestionAnswered': {
      const { questionId: id, answers, by } = event.data
      return chunk('question_settled', answers === null ? 'Declined' : 'Answered', { id, answers, by })
    }
    case 'QuestionExpired':
      return chunk('question_settled', 'Expired', { id: event.data.questionId })
    default:
      return null
  }
}
