// What a step and all it reads say, read by their letters.
import type { AnalysisStep } from '../domain/analysis.ts'
import { sqlTokens, stringValue } from '../sql/sql-names.ts'

export type WrittenStep = Pick<AnalysisStep, 'language' | 'code'> &
  Partial<Pick<AnalysisStep, 'n' | 'original' | 'reads'>>

/** This one first. Comments and strings count too: in doubt a step is read. */
export function stepsBehind(step: WrittenStep, steps: readonly WrittenStep[]): readonly WrittenStep[] {
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

/** Also with what its strings say: `e'step\x5f1'` is step_1. */
function spelledOut(step: WrittenStep): string {
  const text = textOf(step)
  const strings = [...sqlTokens(text)].filter(({ kind }) => kind === 'string')
  return [text, ...strings.map((one) => stringValue(one.text))].join('\n')
}

/** The SQL of this one and of all it reads. */
export const sqlBehind = (step: WrittenStep, steps: readonly WrittenStep[]): readonly string[] =>
  stepsBehind(step, steps).flatMap(({ language, code, original = '' }) => (language === 'sql' ? [code, original] : []))

/** As it runs, and as the model wrote it. */
export const textOf = ({ code, original }: WrittenStep): string => `${code}\n${original ?? ''}`

/** Another run of it need not give the same rows: the one that is looked at is not the one that is shown. */
export const isVolatile = (step: WrittenStep, steps: readonly WrittenStep[]): boolean =>
  stepsBehind(step, steps).some((one) => volatile.test(textOf(one)))

const volatile =
  /\b(random|setseed|uuid|gen_random_uuid|uuidv[47]|sample|tablesample|now|(get_)?current_(local)?time(stamp)?|localtime(stamp)?|transaction_timestamp|txid_current|nextval|currval)\b/i
