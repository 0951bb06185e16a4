import { type Cell, cellText, kindOf } from '../domain/cells.ts'
import { countLabel } from '../domain/count-label.ts'
import { fence, lineMarkdown as line } from './markdown-text.ts'
import type { Report, ReportChart, ReportRows, ReportSection, ReportStep } from './report.ts'

export interface MarkdownOptions {
  /** Cleans the model's Markdown, so that no program loads or runs anything for it. */
  readonly answerMarkdown: (markdown: string) => string
}

/** One text file. Charts are tables of their numbers; text of the model and of cells is escaped. */
export function toMarkdown(
  { title, changedAt, tables, sections }: Report,
  { answerMarkdown }: MarkdownOptions,
): string {
  const from = tables.map(({ name, rowCount }) => `${line(name)} (${countLabel(rowCount, 'row')})`).join(', ')
  const head = [`# ${line(title)}`, `${changedAt.slice(0, 10)}${from === '' ? '' : `, from ${from}`}`]
  return `${[...head, ...sections.flatMap((section) => sectionParts(section, answerMarkdown))].join('\n\n')}\n`
}

const sectionParts = (
  { question, outdated, answer, caveats, charts, steps }: ReportSection,
  answerMarkdown: MarkdownOptions['answerMarkdown'],
): readonly string[] => [
  `## ${line(question)}`,
  ...(outdated === null ? [] : [`*${line(outdated)}*`]),
  ...(answer === null ? [] : [answerMarkdown(answer)]),
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
  ...(error === null ? [] : [`Failed: ${line(error)}`]),
  ...(facts === '' ? [] : [`${facts}.`]),
  ...(rows === null ? [] : [tableText(rows)]),
]

function tableText({ columns, rows, more }: ReportRows): string {
  if (columns.length === 0) return '(no columns)'
  const cells = (list: readonly string[]): string => `| ${list.join(' | ')} |`
  return [
    cells(columns.map(({ name }) => line(name) || ' ')),
    cells(columns.map((column) => (kindOf(column) === 'number' ? '---:' : '---'))),
    ...rows.map((row) => cells(row.map(cellMarkdown))),
    ...(more > 0 ? ['', `and ${countLabel(more, 'more row')}`] : []),
  ].join('\n')
}

const cellMarkdown = (cell: Cell): string => (cell === null ? '' : line(cellText(cell).slice(0, 300)))
