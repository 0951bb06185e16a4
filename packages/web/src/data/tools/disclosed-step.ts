// The columns of a step as the model may be told them where it does not see its rows.
import type { PrivacyLevel } from '@quarterdeck/protocol'
import { disclosureOf } from '../domain/disclosure.ts'
import { maskNames } from '../privacy/mask-names.ts'
import { disclosedCount } from '../privacy/result-for-model.ts'
import { hasNamesFromCells } from '../steps/names-from-cells.ts'
import { stepNumber } from '../steps/step-reads.ts'
import type { StepRecorder } from '../steps/step-recorder.ts'
import type { QueryableTable } from './queryable-tables.ts'

export interface DisclosureContext {
  readonly steps: StepRecorder
  readonly level: PrivacyLevel
  /** Of tables in scope and their columns. */
  readonly names: readonly string[]
}

export function disclosedStep(table: QueryableTable, { steps, level, names }: DisclosureContext): QueryableTable {
  const n = stepNumber(table.name)
  const step = steps.steps().find((one) => one.n === n)
  if (step === undefined || !disclosureOf(level).scrubsErrors) return table
  // What the model saw of it as a summary it may see again.
  const fromCells = !(level === 1 && step.isSummary === true) && hasNamesFromCells(step, steps.steps())
  const rowCount = disclosedCount(table.rowCount, level)
  return { ...table, rowCount, columns: maskNames(table.columns, { names, fromCells }) }
}
