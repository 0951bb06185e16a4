// What the model hears of a step that failed.

import { disclosureOf } from '../domain/disclosure.ts'
import { EngineError, type EngineProblem } from '../domain/query-engine.ts'
import { type ErrorContext, scrubError, scrubThrown } from '../privacy/scrub-error.ts'
import { SandboxError, type SandboxProblem, sandboxLimits } from '../sandbox/sandbox.ts'
import type { StepRecorder } from '../steps/step-recorder.ts'
import { noColumn, noTable, type QueryableTables } from './queryable-tables.ts'
import { queryTimeMs } from './run-code.ts'
import { ToolFailure } from './tool-failure.ts'

export interface FailureContext extends ErrorContext {
  readonly tables: QueryableTables
  readonly steps: StepRecorder
}

const ofEngine: Readonly<Partial<Record<EngineProblem, string>>> = {
  timeout: `The query took longer than ${queryTimeMs / 1000} seconds and was stopped. Read less: filter, aggregate earlier, or join on fewer rows.`,
  cancelled: 'The query was cancelled.',
  memory: 'The memory of this browser ran out on this query. Read less: filter, choose columns, or aggregate earlier.',
  dead: 'The database of this browser stopped and is started again. Try once more.',
}

const { codeBytes, rowsIn, rowsOut, bytesOut, timeMs } = sandboxLimits

const ofSandbox: Readonly<Partial<Record<SandboxProblem, string>>> = {
  timeout: `The code took longer than ${timeMs / 1000} seconds and was stopped.`,
  cancelled: 'The code was cancelled.',
  invalid:
    'The code has to return a list of flat records: objects whose values are text, numbers, true, false or null.',
  'too-large': `That is too much: at most ${codeBytes / 1000} kB of code, ${rowsIn} rows in, and ${rowsOut} rows or ${bytesOut / 1e6} MB out.`,
  unavailable: 'JavaScript cannot be run in this browser now. Use run_query instead.',
}

export function failureMessage(error: unknown, context: FailureContext): string {
  if (error instanceof ToolFailure) return error.message
  if (error instanceof EngineError) {
    const said = ofEngine[error.problem]
    if (said !== undefined) return said
    // The guard speaks of the query's own words only.
    if (error.problem === 'refused') return scrubError(error.message, { ...context, level: 2 })
    return `${scrubError(error.message, context)}${nearOf(error.message, context)}`
  }
  if (error instanceof SandboxError) {
    // Code can make up a line as it can make up words.
    const isLine = error.line !== null && error.line <= context.code.split('\n').length
    const line = isLine ? ` (line ${error.line})` : ''
    const said = error.message.replace(/ \(line \d+ of the code\)$/, '')
    return ofSandbox[error.problem] ?? `The code failed${line}: ${scrubThrown(said, context)}`
  }
  return 'The step failed in this browser.'
}

/** What could have been meant, of what the model may know. */
function nearOf(message: string, { tables, steps, code, level, fromCells }: FailureContext): string {
  const isEarly = /^(Binder|Catalog) Error: /.test(message)
  if (disclosureOf(level).scrubsErrors && (fromCells || !isEarly)) return ''
  const table = /Table with name "?([^"\s!]+)"? does not exist/.exec(message)?.[1]
  if (table !== undefined && mentions(code, table)) return `\n${noTable(table, { tables, steps })}`
  const column = /(?:Referenced column|does not have a column named|column) "([^"]+)"/.exec(message)?.[1]
  const named = column?.split('.').at(-1)
  return named !== undefined && mentions(code, named) ? `\n${noColumn(named, tables.inScope)}` : ''
}

/** Only what the model wrote is said back to it. */
const mentions = (code: string, name: string): boolean => code.toLowerCase().includes(name.toLowerCase())
