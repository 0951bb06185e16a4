// The engine's hook points: programs that embed the engine observe and influence events inside agents here.
import { isQuarterdeckError, type JsonObject, type SessionId, withTimeout } from '@quarterdeck/protocol'
import { answerForUnreadable, parseHookAnswer, UnreadableHookAnswer } from '../backends/hooks/hook-output.ts'
import type { Logger } from '../ports/logger.ts'
import type { HookEvent } from './hook-event.ts'
import { inputAfter, mergeOutputs } from './merge-outputs.ts'

export interface HookContext {
  readonly sessionId: SessionId
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal
}

/** Gets the SDK's input of the event and returns the SDK's output; `undefined` decides nothing. */
export type HookHandler = (
  input: JsonObject,
  context: HookContext,
) => Promise<JsonObject | undefined> | JsonObject | undefined

export interface HookSource {
  hasListener(event: string): boolean
  /**
   * Never rejects. A handler that fails or takes too long decides nothing, except that it denies a tool call. An
   * unreadable answer is treated as the strictest one.
   */
  run(event: string, input: JsonObject, context: HookContext): Promise<JsonObject>
}

export interface EngineHooks extends HookSource {
  /** Handlers of one event are called in the order they were added. Returns a function that removes the handler. */
  on(event: HookEvent, handler: HookHandler): () => void
}

export interface HookPointsOptions {
  readonly logger: Logger
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 60_000

export function createHookPoints({ logger, timeoutMs = defaultTimeoutMs }: HookPointsOptions): EngineHooks {
  const handlers = new Map<string, Set<HookHandler>>()

  async function runOne(event: string, handler: HookHandler, call: Call): Promise<JsonObject> {
    try {
      return parseHookAnswer(event, (await inTime(handler, call, timeoutMs)) ?? {})
    } catch (error) {
      const { sessionId, signal } = call.context
      // The answer is no longer needed, so this is not a failure.
      if (!signal.aborted) logger.error({ sessionId, event, error: String(error) }, 'a hook failed')
      if (isUnreadable(error)) return answerForUnreadable(event, error.message)
      return event === 'PreToolUse' ? denial(isQuarterdeckError(error) ? error.message : anyHook) : {}
    }
  }

  return {
    on(event, handler) {
      const listening = handlers.get(event) ?? new Set()
      listening.add(handler)
      handlers.set(event, listening)
      return () => void listening.delete(handler)
    },
    hasListener: (event) => (handlers.get(event)?.size ?? 0) > 0,
    async run(event, input, context) {
      let output: JsonObject = {}
      let current = input
      for (const handler of [...(handlers.get(event) ?? [])]) {
        const handlerOutput = await runOne(event, handler, { input: current, context })
        output = mergeOutputs(output, handlerOutput)
        current = inputAfter(current, handlerOutput)
      }
      return output
    },
  }
}

interface Call {
  readonly input: JsonObject
  readonly context: HookContext
}

/** A caller may have wrapped the error to name the hook. */
const isUnreadable = (error: unknown): error is Error =>
  error instanceof UnreadableHookAnswer || (error instanceof Error && error.cause instanceof UnreadableHookAnswer)

const anyHook = 'a hook for tool calls failed'

const denial = (permissionDecisionReason: string): JsonObject => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason },
})

async function inTime(
  handler: HookHandler,
  { input, context }: Call,
  limitMs: number,
): Promise<JsonObject | undefined> {
  const late = new AbortController()
  const signal = AbortSignal.any([context.signal, late.signal])
  const handle = async () => ({ output: await handler(input, { ...context, signal }) })
  try {
    const answer = await withTimeout(handle(), limitMs)
    if (answer === null) throw new Error(`took longer than ${limitMs} ms`)
    return answer.output
  } finally {
    late.abort()
  }
}
