import { visibleText } from '@quarterdeck/protocol'
import { type Cell, cellText, kindOf } from '../domain/cells.ts'
import { countLabel } from '../domain/count-label.ts'
import type { Report, ReportChart, ReportRows, ReportSection, ReportStep } from './report.ts'

interface HtmlOptions {
  /** Renders the model's Markdown as HTML with text and formatting only. */
  readonly answerHtml: (markdown: string) => string
}

/**
 * One self-contained file: no script, no requests, and a policy that forbids both. Charts are our own SVG; everything
 * else is escaped.
 */
export function toHtml({ title, changedAt, tables, sections }: Report, { answerHtml }: HtmlOptions): string {
  const from = tables.map(({ name, rowCount }) => `${text(name)} (${countLabel(rowCount, 'row')})`).join(', ')
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${text(title)}</title><style>${style}</style></head><body><main>`,
    `<h1>${text(title)}</h1><p class="facts">${text(changedAt.slice(0, 10))}${from === '' ? '' : `, from ${from}`}</p>`,
    ...sections.map((section) => sectionHtml(section, answerHtml)),
    '</main></body></html>',
  ].join('\n')
}

const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

function sectionHtml(
  { question, outdated, answer, caveats, charts, steps }: ReportSection,
  answerHtml: HtmlOptions['answerHtml'],
) {
  return [
    `<section><h2>${text(question)}</h2>`,
    outdated === null ? '' : `<p class="outdated">${text(outdated)}</p>`,
    answer === null ? '' : `<div class="answer">${answerHtml(answer)}</div>`,
    caveats.length === 0
      ? ''
      : `<ul class="facts">${caveats.map((caveat) => `<li>${text(caveat)}</li>`).join('')}</ul>`,
    ...charts.map(chartHtml),
    ...steps.map(stepHtml),
    '</section>',
  ].join('\n')
}

const chartHtml = ({ title, svg, facts, table }: ReportChart): string =>
  [
    `<figure><h3>${text(title)}</h3>`,
    svg ?? '',
    svg === null ? tableHtml(table) : `<details><summary>The numbers</summary>${tableHtml(table)}</details>`,
    `<figcaption class="facts">${facts.map(text).join(' · ')}</figcaption></figure>`,
  ].join('\n')

const stepHtml = ({ n, title, language, code, facts, error, rows }: ReportStep): string =>
  [
    `<article><h3>Step ${n}: ${text(title)}</h3><pre data-language="${text(language)}"><code>${text(code)}</code></pre>`,
    error === null ? '' : `<p class="failed">Failed: ${text(error)}</p>`,
    facts === '' ? '' : `<p class="facts">${text(facts)}</p>`,
    rows === null ? '' : tableHtml(rows),
    '</article>',
  ].join('\n')

function tableHtml({ columns, rows, more }: ReportRows): string {
  const cellClasses = columns.map((column) => (kindOf(column) === 'number' ? ' class="r"' : ''))
  const head = columns.map(({ name }, index) => `<th${cellClasses[index]}>${text(name)}</th>`).join('')
  const body = rows.map((row) => {
    const cells = columns.map((_, index) => `<td${cellClasses[index]}>${cellHtml(row[index] ?? null)}</td>`)
    return `<tr>${cells.join('')}</tr>`
  })
  const rest = more > 0 ? `<p class="facts">and ${countLabel(more, 'more row')}</p>` : ''
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>${rest}`
}

const cellHtml = (cell: Cell): string =>
  cell === null ? '<span class="facts">–</span>' : text(cellText(cell).slice(0, 300))

const text = (content: string): string => escapeHtml(visibleText(content))

const style = `
:root { color-scheme: light; }
body { margin: 0; color: #171e24; background: #fff; font: 14px/1.6 system-ui, sans-serif; }
main { max-width: 820px; margin: 0 auto; padding: 32px 24px; }
h1 { font-size: 22px; line-height: 1.3; } h2 { font-size: 17px; margin: 40px 0 8px; } h3 { font-size: 14px; margin: 24px 0 6px; }
h1, h2, h3, p, td, th, li { overflow-wrap: anywhere; }
figure { margin: 20px 0; break-inside: avoid; } figure svg { max-width: 100%; height: auto; }
pre { padding: 10px 12px; background: #f1f3f4; border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.5 ui-monospace, monospace; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 12px; }
th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid #dde2e5; text-align: left; } .r { text-align: right; }
.facts, th, summary { color: #596268; font-size: 12px; font-weight: 400; } .failed { color: #a3222b; } .outdated { font-style: italic; }
blockquote { margin: 8px 0; padding-left: 12px; border-left: 2px solid #dde2e5; }
@media print { main { padding: 0; max-width: none; } summary { display: none; } article { break-inside: avoid; } }
`.trim()

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML content and attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => signs[sign] ?? '')
