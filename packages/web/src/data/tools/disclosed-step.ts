// The columns of a step that the model may see without its rows.
import type { PrivacyLevel } from '@quarterdeck/protocol'
import { disclosureOf } from '../domain/disclosure.ts'
import { maskNames } from '../privacy/mask-names.ts'
import { disclosedCount } from '../privacy/result-for-model.ts'
import { stepNumber } from '../steps/step-reads.ts'
import type { StepRecorder } from '../steps/step-recorder.ts'
import { hasNamesFromCells } from '../steps/step-texts.ts'
import type { QueryableTable } from './queryable-tables.ts'

export interface DisclosureContext {
  readonly steps: StepRecorder
  readonly level: PrivacyLevel
  /** Names of tables in scope and their columns. */
  readonly names: readonly string[]
}

export function disclosedStep(table: QueryableTable, { steps, level, names }: DisclosureContext): QueryableTable {
  const n = stepNumber(table.name)
  const step = steps.steps().find((one) => one.n === n)
  if (step === undefined || !disclosureOf(level).scrubsErrors) return table
  // The model may see again what it saw as a summary.
  const fromCells = !(level === 1 && step.isSummary === true) && hasNamesFromCells(step, steps.steps())
  const rowCount = disclosedCount(table.rowCount, level)
  return { ...table, rowCount, columns: maskNames(table.columns, { names, fromCells }) }
}
