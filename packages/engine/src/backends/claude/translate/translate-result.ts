// The end of a turn. Failures come as `success` with `is_error`; totals count from the session's beginning.
import type { TurnOutcome } from '@quarterdeck/protocol'
import { endTurn } from '../../driver/turn-record.ts'
import { bookRemainder } from './book-usage.ts'
import type { ResultMessage } from './sdk-message.ts'
import { brokenAnswer, emitStructuredAnswer } from './translate-answer.ts'
import { discardOpen } from './translate-stream.ts'
import { chain, type Totals, type Translated, type Translation } from './translation.ts'
import { usageDifference } from './usage-difference.ts'

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

/** A structured one has been told already, in the words that are shown. */
function responseOf({ turn }: Translation, { result, is_error, structured_output }: ResultMessage): string {
  return result !== undefined && !is_error && structured_output === undefined ? result : turn.response
}

/** A failed start reports zeros: they are no reason to forget what was counted. */
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
