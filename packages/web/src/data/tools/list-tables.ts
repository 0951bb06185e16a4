// Lists the tables in scope and the steps so far for the model.
import type { PrivacyLevel } from '@quarterdeck/protocol'
import { hasRows } from '../domain/analysis.ts'
import { bytesOf } from '../privacy/result-for-model.ts'
import { stepName } from '../steps/step-reads.ts'
import { disclosedStep } from './disclosed-step.ts'
import { namesOf, type QueryableTable, type QueryableTables, stepTable } from './queryable-tables.ts'
import type { ToolDeps } from './tool-deps.ts'

/** Characters of JSON: the server passes on no more. */
const listLimit = 60_000

export async function listTables(
  { engine, steps }: Pick<ToolDeps, 'engine' | 'steps'>,
  tables: QueryableTables,
  { level, signal }: { readonly level: () => PrivacyLevel; readonly signal: AbortSignal },
) {
  const found: QueryableTable[] = []
  for (const { n } of steps.steps().filter(hasRows)) {
    const table = await stepTable({ engine, steps, signal }, n).catch(() => null) // its rows are gone, so it is left out
    if (table !== null) found.push({ ...table, name: stepName(n) })
  }
  signal.throwIfAborted()
  const { inScope } = tables
  const disclosed = found.map((table) => disclosedStep(table, { steps, level: level(), names: namesOf(tables) }))
  for (const width of [2000, 200, 40, 8]) {
    const list = {
      tables: inScope.map((table) => narrow(table, width)),
      steps: disclosed.map((table) => narrow(table, width)),
    }
    if (bytesOf(list) <= listLimit) return list
  }
  return { tables: inScope.map(({ name, rowCount }) => ({ name, rowCount })).slice(0, 100), steps: [] }
}

function narrow({ columns, ...table }: QueryableTable, width: number) {
  const more = columns.length - width
  return { ...table, columns: columns.slice(0, width), ...(more > 0 ? { moreColumns: more } : {}) }
}
