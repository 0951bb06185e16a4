import { visibleText } from '@quarterdeck/protocol'
import { downloadFile } from '../../../components/controls/download-file.ts'
import { type Block, parseMarkdown } from '../../../components/markdown/blocks.ts'
import type { Inline } from '../../../components/markdown/inline.ts'
import type { Analysis } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import { fileName } from '../../export/file-name.ts'
import type { Report } from '../../export/report.ts'
import { toCsv } from '../../export/to-csv.ts'
import { escapeHtml, toHtml } from '../../export/to-html.ts'
import { toMarkdown } from '../../export/to-markdown.ts'
import { toSql } from '../../export/to-sql.ts'
import { plainMarkdown } from './plain-markdown.ts'

export const reportHtml = (report: Report): string => toHtml(report, { answerHtml: markdownHtml })

export const saveMarkdown = (report: Report): void =>
  downloadFile(fileName(report.title, 'md'), [toMarkdown(report, { answerMarkdown: plainMarkdown })], 'text/markdown')

export const saveHtml = (report: Report): void =>
  downloadFile(fileName(report.title, 'html'), [reportHtml(report)], 'text/html')

export const saveSql = (analysis: Analysis): void =>
  downloadFile(fileName(analysis.title, 'sql'), [toSql(analysis)], 'application/sql')

export const saveRows = (rows: Rows, title: string, part: string): void =>
  downloadFile(fileName(title, 'csv', part), [toCsv(rows, { hasMark: true })], 'text/csv')

// Converts the model's Markdown to HTML for a file, with the same parser as the page.
export const markdownHtml = (markdown: string): string => parseMarkdown(visibleText(markdown)).map(blockHtml).join('\n')

function blockHtml(block: Block): string {
  switch (block.type) {
    case 'paragraph':
      return `<p>${richTextHtml(block.lines)}</p>`
    case 'heading':
      return `<h${block.level}>${richTextHtml(block.lines)}</h${block.level}>`
    case 'code':
      return `<pre><code>${escapeHtml(block.text)}</code></pre>`
    case 'list': {
      const items = block.items.map((item) => `<li>${item.map(blockHtml).join('')}</li>`).join('')
      return block.isOrdered ? `<ol start="${block.start}">${items}</ol>` : `<ul>${items}</ul>`
    }
    case 'quote':
      return `<blockquote>${block.blocks.map(blockHtml).join('')}</blockquote>`
    case 'table': {
      const row = (cells: typeof block.head, tag: 'th' | 'td'): string =>
        `<tr>${cells.map((cell) => `<${tag}>${richTextHtml(cell)}</${tag}>`).join('')}</tr>`
      return `<table>${row(block.head, 'th')}${block.rows.map((cells) => row(cells, 'td')).join('')}</table>`
    }
    case 'rule':
      return '<hr>'
  }
}

const richTextHtml = (parts: readonly Inline[]): string => parts.map(inlineHtml).join('')

/** Links become text: readers of the file cannot judge where they lead. */
function inlineHtml(part: Inline): string {
  switch (part.type) {
    case 'text':
      return escapeHtml(part.text)
    case 'code':
      return `<code>${escapeHtml(part.text)}</code>`
    case 'strong':
    case 'em':
    case 'del':
      return `<${part.type}>${richTextHtml(part.children)}</${part.type}>`
    case 'link':
      return `${richTextHtml(part.children)} (${escapeHtml(part.href)})`
    case 'image':
      return `Image not loaded: ${escapeHtml(part.alt)} (${escapeHtml(part.href)})`
  }
}
