import { downloadFile } from '../../components/controls/download-file.ts'
import type { Rows } from '../domain/cells.ts'
import { fileName } from './file-name.ts'
import { toCsv } from './to-csv.ts'

/** Downloads the loaded rows as a file; `part` names the part of the title. */
export const exportCsv = (rows: Rows, title: string, part?: string): void =>
  downloadFile(fileName(title, 'csv', part), [toCsv(rows, { hasMark: true })], 'text/csv')
