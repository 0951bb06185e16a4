import { columnTypes } from '../../analysis/import-plan.ts'

type ColumnType = (typeof columnTypes)[number]

const words: Readonly<Record<ColumnType, string>> = {
  VARCHAR: 'Text',
  BIGINT: 'Whole number',
  DOUBLE: 'Number',
  BOOLEAN: 'Yes or no',
  DATE: 'Date',
  TIMESTAMP: 'Date and time',
  TIME: 'Time',
}

/** What a type is called on screen; one that nobody can choose keeps the engine's name. */
export function typeWord(type: string): string {
  const known = columnTypes.find((one) => one === type)
  return known === undefined ? type.toLowerCase() : words[known]
}
