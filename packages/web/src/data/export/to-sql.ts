import type { Analysis, AnalysisStep } from '../domain/analysis.ts'
import { stepTitle } from '../steps/step-title.ts'

/** A script that creates all steps as views over the same tables. Steps that are not SQL are comments. */
export function toSql({ title, tables, runs }: Pick<Analysis, 'title' | 'tables' | 'runs'>): string {
  const needs = tables.length === 0 ? [] : [`-- Needs the tables: ${tables.map(({ name }) => flat(name)).join(', ')}`]
  const parts = runs.flatMap(({ question, steps }) => [`-- ${flat(question)}`, ...steps.map(stepSql)])
  return `${[[`-- ${flat(title)}`, ...needs].join('\n'), ...parts].join('\n\n')}\n`
}

function stepSql(step: AnalysisStep): string {
  const head = `-- Step ${step.n}: ${flat(stepTitle(step))}`
  if (step.state === 'error' || step.state === 'cancelled') return `${head}\n-- (did not run)\n${commented(step.code)}`
  if (step.language === 'javascript')
    return `${head}\n-- (JavaScript over rows: not available in SQL)\n${commented(step.code)}`
  const code = step.code.trim().replace(/;\s*$/, '')
  // A comment at the end of the code must not swallow the next line.
  return isQuery(code) ? `${head}\nCREATE OR REPLACE VIEW step_${step.n} AS\n${code}\n;` : `${head}\n${code}\n;`
}

/** Only queries can be views; `DESCRIBE`, `SUMMARIZE` and similar stay statements. */
const isQuery = (code: string): boolean =>
  /^(\s|--[^\n]*\n|\/\*[\s\S]*?\*\/|\()*(select|with|from|values|table|pivot|unpivot)\b/i.test(code)

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim()
const commented = (code: string): string => code.replace(/^/gm, '-- ')
