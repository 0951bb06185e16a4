// Finds the steps that a step reads.
import { codeTokens, sqlNames, stringValue } from '../sql/sql-names.ts'

/** The number in a name like `step_3`, ignoring case like DuckDB. */
export function stepNumber(name: string): number | null {
  const digits = /^step_([1-9]\d{0,8})$/i.exec(name)?.[1]
  return digits === undefined ? null : Number(digits)
}

export const stepName = (n: number): string => `step_${n}`

/** By name, ascending. */
export function readsOfSql(sql: string): readonly number[] {
  const found = new Set([...sqlNames(sql), ...namedByText(sql)].map(stepNumber))
  return [...found].filter((n) => n !== null).sort((a, b) => a - b)
}

/** DuckDB reads `FROM 'step_1'` as the step as well. */
function namedByText(sql: string): readonly string[] {
  const tokens = codeTokens(sql)
  return tokens.flatMap(({ kind, text }, at) =>
    kind === 'string' && /^(from|join|table|pivot|unpivot|describe|summarize)$/i.test(tokens[at - 1]?.text ?? '')
      ? [stringValue(text)]
      : [],
  )
}

/**
 * First the step that it gets as `data`, then those it takes from `allSteps`: the named ones, or all steps with rows
 * (`good`) if the access is computed.
 */
export function readsOfTransform(code: string, sourceStep: number, good: readonly number[]): readonly number[] {
  const mentions = [...code.matchAll(/\ballSteps\b/g)].length
  const named = [...code.matchAll(/\ballSteps\s*(?:\?\.)?\[\s*["'`]?(?:step_)?(\d{1,9})["'`]?\s*\]/g)].map(([, n]) =>
    Number(n),
  )
  const others = mentions === 0 ? [] : named.length === mentions ? named : good
  return [...new Set([sourceStep, ...others])]
}
