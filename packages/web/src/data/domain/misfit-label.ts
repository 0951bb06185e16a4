import { ellipsize } from '@quarterdeck/protocol'

const labels: Readonly<Record<string, string>> = {
  BIGINT: 'is not a whole number',
  DOUBLE: 'is not a number',
  BOOLEAN: 'is not yes or no',
  DATE: 'is not a date',
  TIMESTAMP: 'is not a date and time',
  TIME: 'is not a time',
}

/** Why a value does not fit its column, for the user. */
export function misfitLabel(value: string, type: string): string {
  return `"${ellipsize(value, 100)}" ${labels[type] ?? `is not a valid ${type.toLowerCase()}`}`
}
