import type { Rows } from '../analysis/cells.ts'
import { fileName } from '../analysis/export/file-name.ts'
import { toCsv } from '../analysis/export/to-csv.ts'
import { downloadFile } from '../ui/download-file.ts'

/** The rows that are on this page, as a file. */
export const exportCsv = (title: string, rows: Rows): void =>
  downloadFile(fileName(title, 'csv'), [toCsv(rows, { hasMark: true })], 'text/csv')
