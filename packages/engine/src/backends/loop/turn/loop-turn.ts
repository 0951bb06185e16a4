import type { EventDraft, JsonObject } from '@quarterdeck/protocol'
import type { ToolCall } from '../../../ports/tool-call.ts'
import type { TurnPrompt } from '../../driver/turn-driver.ts'
import { emptyTurn, endTurn, recordEvent } from '../../driver/turn-record.ts'
import type { RequestListener } from '../request/model-requester.ts'
import type { TurnStop } from '../turn-stop.ts'

/** The progress of a turn. */
export type LoopTurn = ReturnType<typeof createLoopTurn>

export function createLoopTurn(signal: AbortSignal, push: RequestListener['emit']) {
  let record = emptyTurn
  /** Added messages that are not in the conversation yet. */
  const steered: TurnPrompt[] = []
  /** No more messages are accepted. */
  let isClosed = false
  let requests = 0
  let apiMs = 0
  const denials: JsonObject[] = []
  let structuredOutput: unknown = null
  /** The answer to show, if it is not the model's own text. */
  let response: string | null = null
  let violations = 0
  let refusals = 0
  let isStopHookActive = false
  /** The fallback for an overloaded model. */
  let fallback: { readonly from: string; readonly to: string } | null = null

  const emit: RequestListener['emit'] = (event) => {
    if (event.type !== 'AgentStreamToken') record = recordEvent(record, event)
    return push(event)
  }

  return {
    signal,
    emit,
    /** False if the turn accepts no more messages. */
    steer(prompt: TurnPrompt): boolean {
      if (isClosed || signal.aborted) return false
      steered.push(prompt)
      return true
    },
    nextSteered: () => steered[0],
    /** The next added message is in the conversation, or refused. */
    dropSteered: () => void steered.shift(),
    /** Closes the turn, unless an added message waits. */
    closeIfAnswered(): boolean {
      isClosed = steered.length === 0
      return isClosed
    },
    close(): void {
      isClosed = true
    },

    /** Model requests so far. */
    requests: () => requests,
    beginRequest(): void {
      requests += 1
    },
    endRequest(durationMs: number): void {
      apiMs += durationMs
    },
    /** The model to request instead of `model`, if that one was overloaded. */
    modelFor: (model: string): string => (fallback?.from === model ? fallback.to : model),
    /** A request for one model was answered by it, or by its fallback. */
    noteAnswer(from: string, to: string): void {
      refusals = 0
      if (to !== from) fallback = { from, to }
    },
    /** Returns how often in a row the provider found a request too long. */
    countRefusal: (): number => ++refusals,
    /** Returns the number of answers that did not match the schema. */
    countViolation: (): number => ++violations,
    noteDenial({ toolName, toolUseId, toolInput }: ToolCall): void {
      denials.push({ tool_name: toolName, tool_use_id: toolUseId, tool_input: toolInput })
    },
    /** Shows this text as the answer. */
    respond(text: string, output: unknown = null): void {
      response = text
      structuredOutput = output
    },
    /** A Stop hook has kept the turn going. */
    isStopHookActive: () => isStopHookActive,
    noteStopHook(): void {
      isStopHookActive = true
    },

    ended(stop: TurnStop | null, durationMs: number): EventDraft<'TurnEnded'> {
      const result = { ...record, numTurns: requests, structuredOutput, response: response ?? record.response }
      return endTurn(result, {
        outcome: stop?.outcome ?? 'completed',
        ...(stop !== null && { reason: stop.message }),
        durationMs,
        durationApiMs: apiMs,
        permissionDenials: denials,
      })
    },
  }
}
