import type { Analysis, AnalysisStep } from '../domain/analysis.ts'
import { stepTitle } from '../steps/step-title.ts'

/** Every step as a script that makes the same views over the same tables. What SQL cannot do is there as a comment. */
export function toSql({ title, tables, runs }: Pick<Analysis, 'title' | 'tables' | 'runs'>): string {
  const needs = tables.length === 0 ? [] : [`-- Needs the tables: ${tables.map(({ name }) => flat(name)).join(', ')}`]
  const parts = runs.flatMap(({ question, steps }) => [`-- ${flat(question)}`, ...steps.map(stepSql)])
  return `${[[`-- ${flat(title)}`, ...needs].join('\n'), ...parts].join('\n\n')}\n`
}

function stepSql(step: AnalysisStep): string {
  const head = `-- Step ${step.n}: ${flat(stepTitle(step))}`
  if (step.state === 'error' || step.state === 'cancelled')
    return `${head}\n-- (it did not run)\n${commented(step.code)}`
  if (step.language === 'javascript')
    return `${head}\n-- (JavaScript over rows: no SQL makes it)\n${commented(step.code)}`
  const code = step.code.trim().replace(/;\s*$/, '')
  // A comment at its end must not swallow what follows.
  return isQuery(code) ? `${head}\nCREATE OR REPLACE VIEW step_${step.n} AS\n${code}\n;` : `${head}\n${code}\n;`
}

/** Views take queries; `DESCRIBE`, `SUMMARIZE` and the like stand for themselves. */
const isQuery = (code: string): boolean =>
  /^(\s|--[^\n]*\n|\/\*[\s\S]*?\*\/|\()*(select|with|from|values|table|pivot|unpivot)\b/i.test(code)

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim()
const commented = (code: string): string => code.replace(/^/gm, '-- ')
