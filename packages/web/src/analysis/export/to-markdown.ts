import { visibleText } from '@quarterdeck/protocol'
import { cellText } from '../cell-text.ts'
import { type Cell, kindOf, type Rows } from '../cells.ts'
import { countWords } from '../count-words.ts'
import type { Report, ReportChart, ReportSection, ReportStep } from './report.ts'

const mostRows = 100

/** One file of text. Charts are their numbers; what the model or a cell wrote stays text, whoever shows the file. */
export function toMarkdown({ title, changedAt, tables, sections }: Report): string {
  const from = tables.map(({ name, rowCount }) => `${line(name)} (${countWords(rowCount, 'row')})`).join(', ')
  const head = [`# ${line(title)}`, `${changedAt.slice(0, 10)}${from === '' ? '' : `, from ${from}`}`]
  return `${[...head, ...sections.flatMap(sectionParts)].join('\n\n')}\n`
}

const sectionParts = ({ question, answer, caveats, charts, steps }: ReportSection): readonly string[] => [
  `## ${line(question)}`,
  ...(answer === null ? [] : [tame(answer)]),
  ...(caveats.length === 0 ? [] : [caveats.map((caveat) => `- Note: ${line(caveat)}`).join('\n')]),
  ...charts.flatMap(chartParts),
  ...steps.flatMap(stepParts),
]

const chartParts = ({ title, facts, table }: ReportChart): readonly string[] => [
  `### ${line(title)}`,
  tableText(table),
  `${facts.map(line).join('. ')}.`,
]

const stepParts = ({ n, title, language, code, facts, error, rows }: ReportStep): readonly string[] => [
  `### Step ${n}: ${line(title)}`,
  fence(code, language),
  ...(error === null ? [] : [`It failed: ${line(error)}`]),
  ...(facts === '' ? [] : [`${facts}.`]),
  ...(rows === null ? [] : [tableText(rows)]),
]

function tableText({ columns, rows }: Rows): string {
  if (columns.length === 0) return '(no columns)'
  const cells = (list: readonly string[]): string => `| ${list.join(' | ')} |`
  const shown = rows.slice(0, mostRows).map((row) => cells(row.map(cellWords)))
  const rest = rows.length - shown.length
  return [
    cells(columns.map(({ name }) => line(name) || ' ')),
    cells(columns.map((column) => (kindOf(column) === 'number' ? '---:' : '---'))),
    ...shown,
    ...(rest > 0 ? ['', `and ${countWords(rest, 'more row')}`] : []),
  ].join('\n')
}

const cellWords = (cell: Cell): string => (cell === null ? '' : line(cellText(cell).slice(0, 300)))

/** Text of somebody else on one line, with every sign of Markdown and HTML as itself. */
function line(text: string): string {
  const flat = visibleText(text).replace(/\s+/g, ' ').trim()
  return flat.replace(/[\\`*_{}[\]()#+!|<>~-]/g, (sign, at: number) =>
    // Inside of words a hyphen or a bracket says nothing; at the start of a line it does.
    /[-+#()!.]/.test(sign) && at > 0 ? sign : `\\${sign}`,
  )
}

/** The model's Markdown without what fetches or runs: pictures and HTML become text; code stays as it is. */
function tame(markdown: string): string {
  let isFenced = false
  return visibleText(markdown)
    .split('\n')
    .map((row) => {
      if (/^\s*(```|~~~)/.test(row)) {
        isFenced = !isFenced
        return row
      }
      if (isFenced) return row
      const parts = row.split(/(`[^`]*`)/)
      return parts
        .map((part, at) =>
          at % 2 === 1
            ? part
            : part
                .replace(/</g, '\\<')
                .replace(/!\[/g, '!\\[')
                .replace(/\]\((?!https?:)/g, ']\\('),
        )
        .join('')
    })
    .join('\n')
    .concat(isFenced ? '\n```' : '')
}

/** Longer than any row of the same sign in it. */
function fence(code: string, language: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length))
  const mark = '`'.repeat(longest + 1)
  return `${mark}${language}\n${visibleText(code)}\n${mark}`
}
