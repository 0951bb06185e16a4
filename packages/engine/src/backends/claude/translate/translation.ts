// The state of the translation between messages. Immutable: each message returns the next state.
import {
  type AgentPath,
  type CatalogModel,
  draft,
  type JsonObject,
  type ModelSource,
  type PermissionMode,
  type SessionId,
  type TokenCounts,
} from '@quarterdeck/protocol'
import type { BackendEvent } from '../../backend.ts'
import type { OutputCheck } from '../../driver/structured-output.ts'
import { emptyTurn, recordEvent, type TurnRecord } from '../../driver/turn-record.ts'
import type { AnyMessage, ApiUsage, SdkModelUsage } from './sdk-message.ts'

export interface OpenBlock {
  readonly kind: 'text' | 'thinking'
  readonly text: string
  /** Its complete message has arrived: the streamed text is now part of the log. */
  readonly isConfirmed: boolean
}

/** A message that is being streamed. Only the lead streams, but the code does not depend on that. */
export interface OpenMessage {
  readonly messageId: string
  /** The session's model when the request began. It may change before the answer is complete. */
  readonly askedModel: string
  readonly servedModel: string
  readonly agent: AgentPath
  readonly blocks: ReadonlyMap<number, OpenBlock>
  readonly usage: ApiUsage
}

export interface OpenCall {
  readonly toolName: string
  readonly agent: AgentPath
  readonly at: number
}

export interface Subagent {
  readonly agentId: string
  readonly toolUseId: string
  readonly path: readonly string[]
  readonly hasStopped: boolean
}

/** The model's attempts at a structured answer. Each one is a call that is not a tool of the agent. */
export interface Answering {
  readonly calls: ReadonlySet<string>
  /** The message id of the last attempt. */
  readonly messageId: string | null
  /** Why the CLI rejected the last attempt. */
  readonly refusal: string | null
}

const notAnswering: Answering = { calls: new Set(), messageId: null, refusal: null }

/** The SDK counts from the start of the session, not of the turn. */
export interface Totals {
  readonly modelUsage: SdkModelUsage
  readonly costUsd: number
  readonly apiMs: number
}

export const noTotals: Totals = { modelUsage: {}, costUsd: 0, apiMs: 0 }

export interface Translation {
  readonly sessionId: SessionId
  readonly modelSource: ModelSource
  readonly permissionMode: PermissionMode
  /** The model of the next request. */
  readonly model: string
  /** Models with the prices of the user's config files. */
  readonly catalog: readonly CatalogModel[]
  /** Set for an agent with structured answers. */
  readonly outputCheck: OutputCheck | null
  readonly answering: Answering
  /** Why a hook refused the prompt. */
  readonly refusedPrompt: string | null
  readonly backendSessionId: string | null
  readonly open: OpenMessage | null
  readonly calls: ReadonlyMap<string, OpenCall>
  /** When the gate allowed a call: the time waiting for a person does not count. */
  readonly callStarts: ReadonlyMap<string, number>
  /** By task id, which hooks use to name subagents. */
  readonly subagents: ReadonlyMap<string, Subagent>
  /** The path of the subagent that a tool use started. */
  readonly paths: ReadonlyMap<string, readonly string[]>
  /** API message ids whose usage is booked. */
  readonly booked: ReadonlySet<string>
  readonly mcpServers: ReadonlyMap<string, string>
  /** As reported by the CLI; `null` before. */
  readonly tools: readonly string[] | null
  /** Whether `ContextNearingLimit` was emitted. */
  readonly isNearingLimit: boolean
  readonly turn: TurnRecord
  /** Tokens booked in this turn per model, to find the remainder. */
  readonly turnTokens: ReadonlyMap<string, TokenCounts>
  /** Totals at the start of this turn, and now. */
  readonly base: Totals
  readonly totals: Totals
}

export interface Translated {
  readonly state: Translation
  readonly events: readonly BackendEvent[]
}

export function startTranslation(
  session: Pick<Translation, 'sessionId' | 'modelSource' | 'permissionMode' | 'model' | 'catalog'> &
    Partial<Pick<Translation, 'outputCheck'>>,
  totals: Totals = noTotals,
): Translation {
  return {
    ...session,
    outputCheck: session.outputCheck ?? null,
    answering: notAnswering,
    refusedPrompt: null,
    backendSessionId: null,
    open: null,
    calls: new Map(),
    callStarts: new Map(),
    subagents: new Map(),
    paths: new Map(),
    booked: new Set(),
    mcpServers: new Map(),
    tools: null,
    isNearingLimit: false,
    turn: emptyTurn,
    turnTokens: new Map(),
    base: totals,
    totals,
  }
}

/** Resets the record of the turn and keeps the state of the session. */
export const beginTurn = (state: Translation): Translation => ({
  ...state,
  turn: emptyTurn,
  answering: notAnswering,
  refusedPrompt: null,
  turnTokens: new Map(),
  callStarts: new Map(),
  calls: new Map(),
  base: state.totals,
})

export const noteCallStarted = (state: Translation, toolUseId: string, at: number): Translation => ({
  ...state,
  callStarts: new Map(state.callStarts).set(toolUseId, at),
})

/** A subagent with an unknown parent gets its own path: it is shown as unattached, never dropped. */
export const pathOf = (state: Translation, parentToolUseId: string | null): AgentPath =>
  parentToolUseId === null ? null : [...(state.paths.get(parentToolUseId) ?? [parentToolUseId])]

/** Adds emitted events to the record of the turn. */
export function emit(state: Translation, events: readonly BackendEvent[]): Translated {
  return { state: { ...state, turn: events.reduce(recordEvent, state.turn) }, events }
}

/** Logs a message that is not understood, truncated if it is large. */
export function emitRaw(state: Translation, message: AnyMessage): Translated {
  const kind = message.subtype === undefined ? message.type : `${message.type}/${message.subtype}`
  return emit(state, [draft('RawBackendMessage', { kind, message: shorten(message) })])
}

const maxRawCharacters = 16_000

function shorten(message: JsonObject): JsonObject {
  const text = JSON.stringify(message)
  if (text.length <= maxRawCharacters) return message
  return { truncated: true, characters: text.length, start: text.slice(0, maxRawCharacters) }
}

/** Runs steps in order and collects their events. */
export function chain(state: Translation, steps: readonly ((state: Translation) => Translated)[]): Translated {
  let current = state
  const events: BackendEvent[] = []
  for (const step of steps) {
    const next = step(current)
    current = next.state
    events.push(...next.events)
  }
  return { state: current, events }
}
