import type { Analysis } from '../../analysis/analysis.ts'
import type { Rows } from '../../analysis/cells.ts'
import { fileName } from '../../analysis/export/file-name.ts'
import type { Report } from '../../analysis/export/report.ts'
import { toCsv } from '../../analysis/export/to-csv.ts'
import { toHtml } from '../../analysis/export/to-html.ts'
import { toMarkdown } from '../../analysis/export/to-markdown.ts'
import { toSql } from '../../analysis/export/to-sql.ts'
import { downloadFile } from '../../ui/download-file.ts'
import { markdownHtml } from './markdown-html.ts'
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
