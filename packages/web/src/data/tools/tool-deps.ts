// Dependencies of the tools of an analysis.

import type { PrivacyLevel } from '@quarterdeck/protocol'
import type { CodeFrame } from '../code-frame/code-frame.ts'
import type { PromptedQuestion, PromptedRows } from '../domain/analysis.ts'
import type { CellColumn } from '../domain/cells.ts'
import type { QueryEngine } from '../domain/query-engine.ts'
import type { StepRecorder } from '../steps/step-recorder.ts'

export interface CodeRunner {
  readonly engine: QueryEngine
  readonly codeFrame: Pick<CodeFrame, 'run'>
  /** Columns as an Arrow IPC stream. */
  readonly toIpc: (columns: readonly CellColumn[]) => Uint8Array
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

/** An error whose message is safe to send to the model. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}
