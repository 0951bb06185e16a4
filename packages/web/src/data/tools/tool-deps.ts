// Dependencies of the tools of an analysis.

import type { PrivacyLevel } from '@quarterdeck/protocol'
import type { CodeFrame } from '../code-frame/code-frame.ts'
import type { RunPrompt } from '../domain/analysis.ts'
import type { Cell, Column } from '../domain/cells.ts'
import type { QueryEngine } from '../domain/query-engine.ts'
import type { SmallGroups } from '../domain/small-groups.ts'
import type { StepRecorder } from '../steps/step-recorder.ts'

export interface CodeRunner {
  readonly engine: QueryEngine
  readonly codeFrame: Pick<CodeFrame, 'run'>
  /** Columns as an Arrow IPC stream. */
  readonly toIpc: (columns: readonly (Column & { readonly values: readonly Cell[] })[]) => Uint8Array
}

export interface ToolDeps extends CodeRunner {
  /** The current level: it may change during a run. */
  readonly level: () => PrivacyLevel
  /** The tables in scope; the model cannot read others. */
  readonly scope: () => readonly string[]
  readonly steps: StepRecorder
  readonly ask: UserPrompter
}

/** Both reject when the signal aborts. */
export interface UserPrompter {
  question(asked: PromptedQuestion, signal: AbortSignal): Promise<string>
  /** The model would see single rows of this step. `summary`: it gets counts and names. */
  rows(asked: PromptedRows, signal: AbortSignal): Promise<'allow' | 'summary'>
}

export type PromptedQuestion = Omit<Extract<RunPrompt, { kind: 'question' }>, 'kind'>

export interface PromptedRows {
  readonly callId: string
  readonly step: number
  readonly rowCount: number
  /** The tables and earlier steps that the rows come from. */
  readonly tables: readonly string[]
  readonly columns: readonly string[]
  /** Set if the rows are groups that are too small for a summary. */
  readonly smallGroups?: SmallGroups
}

/** An error whose message is safe to send to the model. */
export class ToolFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ToolFailure'
  }
}
