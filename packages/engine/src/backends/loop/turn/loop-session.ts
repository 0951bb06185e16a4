// The state of a loop session apart from its turns: model, permissions and settings.
import type { AgentDefinition, CatalogModel, PermissionMode, Thinking } from '@quarterdeck/protocol'
import type { SessionOptions } from '../../backend.ts'
import type { OutputCheck } from '../../driver/structured-output.ts'
import type { Conversation } from '../conversation/conversation-store.ts'
import type { ModelAsker } from '../request/model-asker.ts'
import type { ToolChooser } from '../tools/choose-tools.ts'
import type { HookCalls } from '../tools/hook-calls.ts'

export interface LoopSettings {
  readonly model: string
  readonly permissionMode: PermissionMode
  readonly thinking: Thinking
}

/** How full the model's window is. */
export interface ContextWindow {
  /** The provider's count at the latest answer and the number of entries it covers; `null` before the first. */
  measured: { readonly tokens: number; readonly entries: number } | null
  /** Whether `ContextNearingLimit` was emitted. */
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
  /** The check of `response_format`; `null` without one. */
  readonly checkOutput: OutputCheck | null
  /** Selects the tools for a message. */
  readonly toolChooser: ToolChooser
  readonly now: () => number
  /** The current settings. */
  chosen(): LoopSettings
  /** In dollars, since the session was opened. */
  readonly spent: { usd: number }
  readonly window: ContextWindow
}
