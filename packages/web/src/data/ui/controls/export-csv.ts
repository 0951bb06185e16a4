import { downloadFile } from '../../../components/controls/download-file.ts'
import type { Rows } from '../../domain/cells.ts'
import { fileName } from '../../export/file-name.ts'
import { toCsv } from '../../export/to-csv.ts'

/** The rows that are on this page, as a file; `part` says which of its title. */
export const exportCsv = (rows: Rows, title: string, part?: string): void =>
  downloadFile(fileName(title, 'csv', part), [toCsv(rows, { hasMark: true })], 'text/csv')
