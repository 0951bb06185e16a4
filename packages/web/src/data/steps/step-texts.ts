// The text of a step and of all steps it reads.
import type { AnalysisStep } from '../domain/analysis.ts'
import { sqlTokens, stringValue } from '../sql/sql-names.ts'

export type WrittenStep = Pick<AnalysisStep, 'language' | 'code'> &
  Partial<Pick<AnalysisStep, 'n' | 'original' | 'reads'>>

/** Starts with this step. Comments and strings count as well: if unclear, a step is read. */
function stepsBehind(step: WrittenStep, steps: readonly WrittenStep[]): readonly WrittenStep[] {
  const seen = new Set<WrittenStep>()
  const open = [step]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    const named = [...spelledOut(next).matchAll(/step_(\d+)/gi)].map(([, n]) => Number(n))
    const read = new Set([...named, ...(next.reads ?? [])])
    open.push(...steps.filter(({ n }) => n !== undefined && read.has(n)))
  }
  return [...seen]
}

/** Includes decoded strings: `e'step\x5f1'` is step_1. */
function spelledOut(step: WrittenStep): string {
  const text = textOf(step)
  const strings = [...sqlTokens(text)].filter(({ kind }) => kind === 'string')
  return [text, ...strings.map((one) => stringValue(one.text))].join('\n')
}

/** The SQL of this step and of all it reads. */
export const sqlBehind = (step: WrittenStep, steps: readonly WrittenStep[]): readonly string[] =>
  stepsBehind(step, steps).flatMap(({ language, code, original = '' }) => (language === 'sql' ? [code, original] : []))

/** The current and the original code. */
const textOf = ({ code, original }: WrittenStep): string => `${code}\n${original ?? ''}`

/** Whether another run may return other rows: the judged rows would not be the shown ones. */
export const isVolatile = (step: WrittenStep, steps: readonly WrittenStep[]): boolean =>
  stepsBehind(step, steps).some((one) => volatile.test(textOf(one)))

const volatile =
  /\b(random|setseed|uuid|gen_random_uuid|uuidv[47]|sample|tablesample|now|(get_)?current_(local)?time(stamp)?|localtime(stamp)?|transaction_timestamp|txid_current|nextval|currval)\b/i

/**
 * Whether column names of a step can contain cells: PIVOT and code name columns after cells. Decided from the text of
 * the step and of all it reads; if unclear, true. Column names of any other query come from its tables and its text.
 */
export const hasNamesFromCells = (step: WrittenStep, steps: readonly WrittenStep[]): boolean =>
  stepsBehind(step, steps).some((one) => one.language !== 'sql' || /(?<!\bun)pivot/i.test(textOf(one)))
