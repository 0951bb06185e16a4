// What a session of the loop has beside a turn: who answers, what it may do, and what was chosen for it.
import type { AgentDefinition, CatalogModel, PermissionMode, Thinking } from '@quarterdeck/protocol'
import type { SessionOptions } from '../../backend.ts'
import type { OutputCheck } from '../../driver/structured-output.ts'
import type { Conversation } from '../conversation/conversation-store.ts'
import type { ModelAsker } from '../request/ask-model.ts'
import type { ToolChooser } from '../tools/choose-tools.ts'
import type { HookCalls } from '../tools/hook-calls.ts'

export interface LoopSettings {
  readonly model: string
  readonly permissionMode: PermissionMode
  readonly thinking: Thinking
}

/** How full the model's window is. */
export interface ContextWindow {
  /** What the provider counted at the latest answer, and how many entries that was; `null` before there is one. */
  measured: { readonly tokens: number; readonly entries: number } | null
  /** It was told that it fills. */
  isNearing: boolean
}

export interface LoopSession {
  readonly agent: AgentDefinition
  readonly options: SessionOptions
  readonly conversation: Conversation
  readonly asker: ModelAsker
  readonly hookCalls: HookCalls
  readonly catalog: readonly CatalogModel[]
  readonly canAsk: boolean
  /** Of `response_format`; `null` without one. */
  readonly checkOutput: OutputCheck | null
  /** Which of its tools a message needs. */
  readonly toolChooser: ToolChooser
  readonly now: () => number
  /** As of now. */
  chosen(): LoopSettings
  /** Dollars, since the session was opened. */
  readonly spent: { usd: number }
  readonly window: ContextWindow
}
