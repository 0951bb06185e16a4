// Which steps a step reads.
import { sqlNames, sqlTokens, stringValue } from '../sql/sql-names.ts'

/** The number of a name like `step_3`; DuckDB does not mind case. */
export function stepNumber(name: string): number | null {
  const digits = /^step_([1-9]\d{0,8})$/i.exec(name)?.[1]
  return digits === undefined ? null : Number(digits)
}

export const stepName = (n: number): string => `step_${n}`

/** By the names in it, ascending. */
export function readsOfSql(sql: string): readonly number[] {
  const found = new Set([...sqlNames(sql), ...namedByText(sql)].map(stepNumber))
  return [...found].filter((n) => n !== null).sort((a, b) => a - b)
}

/** DuckDB takes `FROM 'step_1'` for the step too. */
function namedByText(sql: string): readonly string[] {
  const tokens = [...sqlTokens(sql)].filter(({ kind }) => kind !== 'space' && kind !== 'comment')
  return tokens.flatMap(({ kind, text }, at) =>
    kind === 'string' && /^(from|join|table|pivot|unpivot|describe|summarize)$/i.test(tokens[at - 1]?.text ?? '')
      ? [stringValue(text)]
      : [],
  )
}

/**
 * The step it gets as `data` first, then those it takes from `allSteps`: the ones it names, or where it finds its way to
 * them in another manner all of them (`good`: those that have rows).
 */
export function readsOfTransform(code: string, sourceStep: number, good: readonly number[]): readonly number[] {
  const mentions = [...code.matchAll(/\ballSteps\b/g)].length
  const named = [...code.matchAll(/\ballSteps\s*(?:\?\.)?\[\s*["'`]?(?:step_)?(\d{1,9})["'`]?\s*\]/g)].map(([, n]) =>
    Number(n),
  )
  const others = mentions === 0 ? [] : named.length === mentions ? named : good
  return [...new Set([sourceStep, ...others])]
}
