// What the tools of an analysis work with.
import type { PrivacyLevel } from '@quarterdeck/protocol'
import type { Cell, Column } from '../domain/cells.ts'
import type { QueryEngine } from '../domain/query-engine.ts'
import type { SmallGroups } from '../domain/small-groups.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { StepRecorder } from '../steps/step-recorder.ts'

export interface CodeRunner {
  readonly engine: QueryEngine
  readonly sandbox: Pick<Sandbox, 'run'>
  /** Columns as an Arrow IPC stream. */
  readonly toIpc: (columns: readonly (Column & { readonly values: readonly Cell[] })[]) => Uint8Array
}

export interface ToolDeps extends CodeRunner {
  /** As it is now: it may change in the middle of a run. */
  readonly level: () => PrivacyLevel
  /** The tables the question is about; others are not there for the model. */
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

export interface PromptedQuestion {
  readonly callId: string
  readonly question: string
  readonly options: readonly string[]
}

export interface PromptedRows {
  readonly callId: string
  readonly step: number
  readonly rowCount: number
  /** Tables and earlier steps that the rows come from. */
  readonly tables: readonly string[]
  readonly columns: readonly string[]
  /** Set if the rows are groups that are too small for a summary. */
  readonly smallGroups?: SmallGroups
}
