import { formatBytes } from '../../../../components/format/format-bytes.ts'
import { countLabel } from '../../../domain/count-label.ts'
import type { ImportPlan } from '../../../domain/import-plan.ts'
import type { FileFormat, ImportedTable } from '../../../domain/imported-table.ts'
import type { ImportState } from './import-list.ts'

const formatLabels: Readonly<Record<FileFormat, string>> = {
  csv: 'CSV',
  json: 'JSON',
  ndjson: 'NDJSON',
  parquet: 'Parquet',
  arrow: 'Arrow',
  excel: 'Excel',
  sqlite: 'SQLite',
}

export const delimiterLabels: Readonly<Record<string, string>> = {
  ',': 'Comma',
  ';': 'Semicolon',
  '\t': 'Tab',
  '|': 'Bar |',
}

export const encodingLabels = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Western (Windows-1252)',
} as const

/** Extensions for the file picker. Other files can be dropped as well. */
export const acceptedFiles = [
  ...['.csv', '.tsv', '.txt', '.json', '.ndjson', '.jsonl', '.parquet', '.arrow', '.feather', '.ipc'],
  ...['.xlsx', '.xls', '.ods', '.sqlite', '.sqlite3', '.db', '.gz'],
].join(',')

export const formatsSentence = 'CSV, TSV, JSON, NDJSON, Parquet, Arrow, Excel or SQLite, optionally packed with gzip'
export const limitsSentence = 'Files up to 200 MB or 5 million rows work well.'

export const factsOf = ({ format, sizeBytes }: ImportPlan): string =>
  `${formatLabels[format]}, ${formatBytes(sizeBytes)}`

const stages = {
  waiting: 'Queued',
  reading: 'Reading…',
  detecting: 'Detecting format…',
  loading: 'Loading rows…',
  saving: 'Saving…',
  profiling: 'Profiling columns…',
} as const

type Working = Extract<ImportState, { kind: 'working' }>

export const stageLabel = ({ stage }: Working): string => stages[stage]

/** In order. */
const counted: readonly Working['stage'][] = ['detecting', 'reading', 'loading', 'profiling']

/** The progress of a file; `null` while it is queued. */
export function stageProgress(stage: Working['stage']): { readonly at: number; readonly of: number } | null {
  // For the user, saving is part of loading.
  const index = counted.indexOf(stage === 'saving' ? 'loading' : stage)
  return index < 0 ? null : { at: index + 1, of: counted.length }
}

export const rejectedOf = ({ rejectedCount }: ImportedTable): string => `${countLabel(rejectedCount, 'row')} rejected`
