// The result of a turn so far, folded from its own events. Every backend builds its result here, so that all agree.
import {
  draft,
  type EventDraft,
  type ExecutionResult,
  errorReasons,
  type ModelUsage,
  type TurnOutcome,
} from '@quarterdeck/protocol'
import type { BackendEvent } from '../backend.ts'
import { emptyResult } from '../empty-result.ts'

export type TurnRecord = ExecutionResult

export const emptyTurn: TurnRecord = emptyResult

export function recordEvent(turn: TurnRecord, event: BackendEvent): TurnRecord {
  switch (event.type) {
    case 'AgentThought':
      return { ...turn, response: event.data.text }
    case 'AgentInvokedTool': {
      const { toolName, toolInput, toolUseId } = event.data
      return { ...turn, toolCalls: [...turn.toolCalls, { name: toolName, arguments: toolInput, callId: toolUseId }] }
    }
    case 'ToolExecuted': {
      const { toolUseId, output, isError } = event.data
      return { ...turn, toolResults: [...turn.toolResults, { callId: toolUseId, result: output, isError }] }
    }
    case 'UsageRecorded': {
      const { input, output, cacheRead, cacheWrite } = event.data.tokens
      const sum = turn.tokenUsage
      return {
        ...turn,
        tokenUsage: {
          inputTokens: sum.inputTokens + input,
          outputTokens: sum.outputTokens + output,
          cacheReadInputTokens: sum.cacheReadInputTokens + cacheRead,
          cacheCreationInputTokens: sum.cacheCreationInputTokens + cacheWrite,
        },
      }
    }
    default:
      return turn
  }
}

export interface TurnEnding {
  readonly outcome: TurnOutcome
  /** Required for `failed`; the other outcomes have fixed texts. */
  readonly reason?: string
  readonly hasProcessEnded?: boolean | undefined
  readonly durationMs: number
  readonly durationApiMs?: number
  readonly reportedCostUsd?: number | null
  readonly modelUsage?: ModelUsage
  readonly permissionDenials?: readonly Record<string, unknown>[]
}

export function endTurn(turn: TurnRecord, ending: TurnEnding): EventDraft<'TurnEnded'> {
  const errorReason = reasonOf(ending)
  return draft('TurnEnded', {
    outcome: ending.outcome,
    ...(ending.hasProcessEnded === true ? { hasProcessEnded: true } : {}),
    result: { ...turn, isError: errorReason !== null, errorReason },
    durationMs: ending.durationMs,
    durationApiMs: ending.durationApiMs ?? 0,
    reportedCostUsd: ending.reportedCostUsd ?? null,
    modelUsage: ending.modelUsage ?? {},
    permissionDenials: [...(ending.permissionDenials ?? [])],
  })
}

const tableReasons: Readonly<Record<TurnOutcome, string | null>> = {
  completed: null,
  failed: 'the turn failed',
  interrupted: errorReasons.interrupted,
  turn_limit: errorReasons.maxTurns,
  budget_limit: errorReasons.budget,
  timeout: errorReasons.timeout,
  crashed: errorReasons.crashed,
}

function reasonOf({ outcome, reason }: TurnEnding): string | null {
  return outcome === 'failed' && reason !== undefined && reason !== '' ? reason : tableReasons[outcome]
}
