// The message to the model about a failed step.

import { CodeFrameError, type CodeFrameProblem, codeFrameLimits } from '../code-frame/code-frame.ts'
import { disclosureOf } from '../domain/disclosure.ts'
import { EngineError, type EngineProblem } from '../domain/query-engine.ts'
import { type ErrorContext, scrubError, scrubThrown } from '../privacy/scrub-error.ts'
import type { StepRecorder } from '../steps/step-recorder.ts'
import { noColumn, noTable, type QueryableTables } from './queryable-tables.ts'
import { queryTimeMs } from './run-code.ts'
import { ToolFailure } from './tool-deps.ts'

export interface FailureContext extends ErrorContext {
  readonly tables: QueryableTables
  readonly steps: StepRecorder
}

const ofEngine: Readonly<Partial<Record<EngineProblem, string>>> = {
  timeout: `The query took longer than ${queryTimeMs / 1000} seconds and was stopped. Read less: filter, aggregate earlier, or join on fewer rows.`,
  cancelled: 'The query was cancelled.',
  memory: 'The query ran out of memory in this browser. Read less: filter, choose columns, or aggregate earlier.',
  dead: 'The database of this browser crashed and is being restarted. Try again.',
}

const { codeBytes, rowsIn, rowsOut, bytesOut, timeMs } = codeFrameLimits

const ofCodeFrame: Readonly<Partial<Record<CodeFrameProblem, string>>> = {
  timeout: `The code took longer than ${timeMs / 1000} seconds and was stopped.`,
  cancelled: 'The code was cancelled.',
  invalid: 'The code must return a list of flat records: objects whose values are text, numbers, true, false or null.',
  'too-large': `A limit was exceeded: at most ${codeBytes / 1000} kB of code, ${rowsIn} rows in, and ${rowsOut} rows or ${bytesOut / 1e6} MB out.`,
  unavailable: 'JavaScript is not available in this browser now. Use run_query instead.',
}

export function failureMessage(error: unknown, context: FailureContext): string {
  if (error instanceof ToolFailure) return error.message
  if (error instanceof EngineError) {
    const message = ofEngine[error.problem]
    if (message !== undefined) return message
    // Messages of the guard contain only words of the query.
    if (error.problem === 'refused') return scrubError(error.message, { ...context, level: 2 })
    return `${scrubError(error.message, context)}${nearOf(error.message, context)}`
  }
  if (error instanceof CodeFrameError) {
    // Code can fake a line number like any text.
    const isLine = error.line !== null && error.line <= context.code.split('\n').length
    const line = isLine ? ` (line ${error.line})` : ''
    const message = error.message.replace(/ \(line \d+ of the code\)$/, '')
    return ofCodeFrame[error.problem] ?? `The code failed${line}: ${scrubThrown(message, context)}`
  }
  return 'The step failed in this browser.'
}

/** Suggestions from names that the model may know. */
function nearOf(message: string, { tables, steps, code, level, fromCells }: FailureContext): string {
  const isEarly = /^(Binder|Catalog) Error: /.test(message)
  if (disclosureOf(level).scrubsErrors && (fromCells || !isEarly)) return ''
  const table = /Table with name "?([^"\s!]+)"? does not exist/.exec(message)?.[1]
  if (table !== undefined && mentions(code, table)) return `\n${noTable(table, { tables, steps })}`
  const column = /(?:Referenced column|does not have a column named|column) "([^"]+)"/.exec(message)?.[1]
  const named = column?.split('.').at(-1)
  return named !== undefined && mentions(code, named) ? `\n${noColumn(named, tables.inScope)}` : ''
}

/** Repeats only names that the model wrote. */
const mentions = (code: string, name: string): boolean => code.toLowerCase().includes(name.toLowerCase())
