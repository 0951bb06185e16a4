import { downloadFile } from '../../../components/controls/download-file.ts'
import type { Analysis } from '../../domain/analysis.ts'
import { fileName } from '../../export/file-name.ts'
import type { Report } from '../../export/report.ts'
import { toHtml } from '../../export/to-html.ts'
import { toMarkdown } from '../../export/to-markdown.ts'
import { toSql } from '../../export/to-sql.ts'
import { markdownHtml } from './markdown-html.ts'
import { plainMarkdown } from './plain-markdown.ts'

export const reportHtml = (report: Report): string => toHtml(report, { answerHtml: markdownHtml })

export const saveMarkdown = (report: Report): void =>
  downloadFile(fileName(report.title, 'md'), [toMarkdown(report, { answerMarkdown: plainMarkdown })], 'text/markdown')

export const saveHtml = (report: Report): void =>
  downloadFile(fileName(report.title, 'html'), [reportHtml(report)], 'text/html')

export const saveSql = (analysis: Analysis): void =>
  downloadFile(fileName(analysis.title, 'sql'), [toSql(analysis)], 'application/sql')
