import { countWords } from '../../analysis/count-words.ts'
import type { ImportPlan } from '../../analysis/import-plan.ts'
import type { FileFormat, KeptTable } from '../../analysis/kept-table.ts'
import { formatBytes } from '../../ui/format-bytes.ts'
import type { ImportState } from './import-list.ts'

const formatWords: Readonly<Record<FileFormat, string>> = {
  csv: 'CSV',
  json: 'JSON',
  ndjson: 'NDJSON',
  parquet: 'Parquet',
  arrow: 'Arrow',
  excel: 'Excel',
  sqlite: 'SQLite',
}

export const delimiterWords: Readonly<Record<string, string>> = {
  ',': 'Comma',
  ';': 'Semicolon',
  '\t': 'Tab',
  '|': 'Bar |',
}

export const encodingWords = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Western (Windows-1252)',
} as const

/** What the browser offers in its picker; what else is dropped is looked at all the same. */
export const acceptedFiles = [
  ...['.csv', '.tsv', '.txt', '.json', '.ndjson', '.jsonl', '.parquet', '.arrow', '.feather', '.ipc'],
  ...['.xlsx', '.xls', '.ods', '.sqlite', '.sqlite3', '.db', '.gz'],
].join(',')

export const formatsSentence = 'CSV, TSV, JSON, NDJSON, Parquet, Arrow, Excel or SQLite, also packed with gzip'
export const limitsSentence = 'Comfortable up to 200 MB or 5 million rows a file.'

export const factsOf = ({ format, sizeBytes }: ImportPlan): string =>
  `${formatWords[format]}, ${formatBytes(sizeBytes)}`

const stages = {
  waiting: 'Waits for the file before it',
  reading: 'Reading',
  detecting: 'Looking what it is',
  loading: 'Loading the rows',
  keeping: 'Keeping it in this browser',
  profiling: 'Looking at the columns',
} as const

type Working = Extract<ImportState, { kind: 'working' }>

export const stageWords = ({ stage }: Working): string => stages[stage]

/** As they happen. */
const counted: readonly Working['stage'][] = ['detecting', 'reading', 'loading', 'profiling']

/** How far a file is; `null` while it waits. */
export function stagePlace(stage: Working['stage']): { readonly at: number; readonly of: number } | null {
  // Keeping is part of loading for whoever waits.
  const place = counted.indexOf(stage === 'keeping' ? 'loading' : stage)
  return place < 0 ? null : { at: place + 1, of: counted.length }
}

export const rejectedOf = ({ rejectedCount }: KeptTable): string => `${countWords(rejectedCount, 'row')} rejected`
