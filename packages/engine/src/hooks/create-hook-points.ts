// The engine's hook points. Whoever embeds the engine listens here to what happens inside its agents, and has a say in it.
import { isQuarterdeckError, type JsonObject, type SessionId } from '@quarterdeck/protocol'
import { answerForUnreadable, parseHookAnswer, UnreadableHookAnswer } from '../backends/hooks/hook-output.ts'
import type { Logger } from '../ports/logger.ts'
import type { HookEvent } from './hook-event.ts'
import { inputAfter, mergeOutputs } from './merge-outputs.ts'

export interface HookContext {
  readonly sessionId: SessionId
  /** Aborts when the answer is no longer wanted. */
  readonly signal: AbortSignal
}

/** Takes the SDK's input of the event and gives the SDK's output; nothing decides nothing. */
export type HookHandler = (
  input: JsonObject,
  context: HookContext,
) => Promise<JsonObject | undefined> | JsonObject | undefined

export interface HookSource {
  hasListener(event: string): boolean
  /**
   * Never rejects. A handler that fails or takes too long decides nothing, but denies a tool call. One whose answer cannot
   * be read is taken at its strictest.
   */
  run(event: string, input: JsonObject, context: HookContext): Promise<JsonObject>
}

export interface EngineHooks extends HookSource {
  /** Handlers of one event are called in the order they came; returns how to stop listening. */
  on(event: HookEvent, handler: HookHandler): () => void
}

export interface HookPointsOptions {
  readonly logger: Logger
  /** How long one handler may take. */
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
      // Nobody waits for it any more: it has not failed.
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

/** Whoever passed it on may have said of which hook. */
const isUnreadable = (error: unknown): error is Error =>
  error instanceof UnreadableHookAnswer || (error instanceof Error && error.cause instanceof UnreadableHookAnswer)

const anyHook = 'a hook that watches over tool calls failed'

const denial = (permissionDecisionReason: string): JsonObject => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason,
  },
})

async function inTime(
  handler: HookHandler,
  { input, context }: Call,
  limitMs: number,
): Promise<JsonObject | undefined> {
  const late = new AbortController()
  const signal = AbortSignal.any([context.signal, late.signal])
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([handler(input, { ...context, signal }), limit])
  } finally {
    clearTimeout(timer)
    late.abort()
  }
}
