// The end of a turn. Failures arrive as `success` with `is_error`; totals count from the start of the session.
import { draft, type TurnOutcome } from '@quarterdeck/protocol'
import type { BackendEvent } from '../../backend.ts'
import { brokenFormat, outputText } from '../../driver/structured-output.ts'
import { endTurn } from '../../driver/turn-record.ts'
import { bookRemainder } from './book-usage.ts'
import type { ResultMessage, SdkModelUsage } from './sdk-message.ts'
import { discardOpen } from './translate-stream.ts'
import { chain, emit, type Totals, type Translated, type Translation } from './translation.ts'

export function translateResult(state: Translation, result: ResultMessage): Translated {
  const totals = totalsAfter(state.totals, result)
  const outcome = outcomeOf(result)
  const turnUsage = usageDifference(totals.modelUsage, state.base.modelUsage)
  return chain({ ...state, totals }, [
    (before) => discardOpen(before, outcome === 'interrupted' ? 'interrupted' : 'the turn ended first'),
    (before) => emitStructuredAnswer(before, result),
    (before) => bookRemainder(before, turnUsage, `${before.turn.numTurns}_${String(result.uuid ?? '')}`),
    (before) => {
      const broken = before.refusedPrompt ?? brokenAnswer(before, result, outcome)
      const turn = {
        ...before.turn,
        response: before.refusedPrompt === null ? responseOf(before, result) : '',
        numTurns: before.turn.numTurns + result.num_turns,
        structuredOutput: result.structured_output ?? null,
      }
      const ended = endTurn(turn, {
        outcome: broken === null ? outcome : 'failed',
        reason: broken ?? reasonOf(result),
        durationMs: result.duration_ms,
        durationApiMs: Math.max(0, totals.apiMs - before.base.apiMs),
        reportedCostUsd: Math.max(0, totals.costUsd - before.base.costUsd),
        modelUsage: turnUsage,
        permissionDenials: result.permission_denials,
      })
      return { state: { ...before, turn, refusedPrompt: null }, events: [ended] }
    },
  ])
}

/** A structured answer has already been emitted, in the form that is shown. */
function responseOf({ turn }: Translation, { result, is_error, structured_output }: ResultMessage): string {
  return result !== undefined && !is_error && structured_output === undefined ? result : turn.response
}

/** A failed start reports zeros, which must not reset the totals. */
function totalsAfter(before: Totals, result: ResultMessage): Totals {
  const isZero = Object.keys(result.modelUsage).length === 0
  return {
    modelUsage: isZero ? before.modelUsage : result.modelUsage,
    costUsd: isZero ? before.costUsd : result.total_cost_usd,
    apiMs: Math.max(before.apiMs, result.duration_api_ms),
  }
}

function outcomeOf({ subtype, is_error, terminal_reason }: ResultMessage): TurnOutcome {
  if (terminal_reason === 'aborted_streaming' || terminal_reason === 'aborted_tools') return 'interrupted'
  switch (subtype) {
    case 'success':
      return is_error ? 'failed' : 'completed'
    case 'error_max_turns':
      return 'turn_limit'
    case 'error_max_budget_usd':
      return 'budget_limit'
    default:
      return 'failed'
  }
}

function reasonOf({ subtype, result, errors, terminal_reason }: ResultMessage): string {
  const messages = [...(errors ?? []), ...(result === undefined ? [] : [result])].filter((text) => text.trim() !== '')
  return messages.length > 0
    ? messages.join('\n')
    : `${subtype}${terminal_reason === undefined ? '' : ` (${terminal_reason})`}`
}

/** The fields that are counters. Others, such as the context window, describe the model and stay as they are. */
const counted = new Set([
  'inputTokens',
  'outputTokens',
  'cacheReadInputTokens',
  'cacheCreationInputTokens',
  'cacheCreationEphemeral5mInputTokens',
  'cacheCreationEphemeral1hInputTokens',
  'thinkingTokens',
  'webSearchRequests',
  'costUSD',
])

/** The usage of one turn: totals now minus totals before. A total that went down was reset, so it counts from zero. */
function usageDifference(now: SdkModelUsage, before: SdkModelUsage): SdkModelUsage {
  const models = Object.entries(now).map(([model, usage]) => [model, difference(usage, before[model])] as const)
  return Object.fromEntries(models.filter(([, usage]) => usage.inputTokens + usage.outputTokens > 0))
}

type Usage = SdkModelUsage[string]

function difference(now: Usage, before: Usage | undefined): Usage {
  if (before === undefined || now.inputTokens < before.inputTokens || now.outputTokens < before.outputTokens) return now
  const fields = Object.entries(now).map(([field, value]) => [field, subtract(field, value, before[field])])
  return { ...now, ...Object.fromEntries(fields) }
}

function subtract(field: string, now: unknown, before: unknown): unknown {
  if (!counted.has(field) || typeof now !== 'number' || typeof before !== 'number') return now
  return Math.max(0, now - before)
}

/**
 * A structured answer arrives as an object with the result. It is emitted as text of the agent and validated again,
 * because the CLI's own check is lost if its process dies.
 */
function emitStructuredAnswer(state: Translation, { structured_output: value, uuid }: ResultMessage): Translated {
  if (state.outputCheck === null || value === undefined) return { state, events: [] }
  const text = outputText(value)
  const messageId = state.answering.messageId ?? `answer_${String(uuid)}`
  const token: BackendEvent = { type: 'AgentStreamToken', agent: null, data: { text, messageId, kind: 'text' } }
  return emit(state, [token, draft('AgentThought', { text, messageId })])
}

/** Why a completed turn has failed; `null` if its answer is valid. */
function brokenAnswer(state: Translation, result: ResultMessage, outcome: TurnOutcome): string | null {
  const { outputCheck, answering } = state
  if (outputCheck === null) return null
  if (result.subtype === 'error_max_structured_output_retries') return brokenFormat(refusalOf(answering.refusal))
  // A command of the CLI itself makes no model request and has no answer.
  if (outcome !== 'completed' || result.num_turns === 0) return null
  if (result.structured_output === undefined) return brokenFormat('the agent ended without giving one')
  const how = outputCheck(result.structured_output)
  return how === null ? null : brokenFormat(how)
}

const refusalOf = (refusal: string | null): string =>
  refusal?.replace(/^Output does not match required schema: /, '') ?? 'the agent gave none'
