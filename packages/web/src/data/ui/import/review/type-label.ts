import { columnTypes } from '../../../domain/import-plan.ts'

type ColumnType = (typeof columnTypes)[number]

const labels: Readonly<Record<ColumnType, string>> = {
  VARCHAR: 'Text',
  BIGINT: 'Whole number',
  DOUBLE: 'Number',
  BOOLEAN: 'Yes or no',
  DATE: 'Date',
  TIMESTAMP: 'Date and time',
  TIME: 'Time',
}

/** What a type is called on screen; one that nobody can choose keeps the engine's name. */
export function typeLabel(type: string): string {
  const known = columnTypes.find((one) => one === type)
  return known === undefined ? type.toLowerCase() : labels[known]
}
