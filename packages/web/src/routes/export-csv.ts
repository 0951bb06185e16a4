import type { Rows } from '../analysis/cells.ts'
import { fileName } from '../analysis/export/file-name.ts'
import { toCsv } from '../analysis/export/to-csv.ts'
import { downloadFile } from '../ui/download-file.ts'

/** The rows that are on this page, as a file; `part` says which of its title. */
export const exportCsv = (rows: Rows, title: string, part?: string): void =>
  downloadFile(fileName(title, 'csv', part), [toCsv(rows, { hasMark: true })], 'text/csv')
