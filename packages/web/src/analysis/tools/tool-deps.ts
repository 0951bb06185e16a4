// What the tools of an analysis work with.
import type { PrivacyLevel } from '@quarterdeck/protocol'
import type { Cell, Column } from '../cells.ts'
import type { Engine } from '../engine.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { SmallGroups } from '../small-groups.ts'
import type { StepBook } from '../steps/step-book.ts'

export interface CodeRunner {
  readonly engine: Engine
  readonly sandbox: Pick<Sandbox, 'run'>
  /** Columns as an Arrow IPC stream. */
  readonly toIpc: (columns: readonly (Column & { readonly values: readonly Cell[] })[]) => Uint8Array
}

export interface ToolDeps extends CodeRunner {
  /** As it is now: it may change in the middle of a run. */
  readonly level: () => PrivacyLevel
  /** The tables the question is about; others are not there for the model. */
  readonly scope: () => readonly string[]
  readonly steps: StepBook
  readonly ask: PersonAsk
}

/** Both reject when the signal aborts. */
export interface PersonAsk {
  question(asked: AskedQuestion, signal: AbortSignal): Promise<string>
  /** The model would see single rows of this step. `summary`: it gets counts and names. */
  rows(asked: AskedRows, signal: AbortSignal): Promise<'allow' | 'summary'>
}

export interface AskedQuestion {
  readonly callId: string
  readonly question: string
  readonly options: readonly string[]
}

export interface AskedRows {
  readonly callId: string
  readonly step: number
  readonly rowCount: number
  /** Tables and earlier steps that the rows come from. */
  readonly tables: readonly string[]
  readonly columns: readonly string[]
  /** Set if the rows are groups that are too small for a summary. */
  readonly smallGroups?: SmallGroups
}
