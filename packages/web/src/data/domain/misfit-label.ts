const labels: Readonly<Record<string, string>> = {
  BIGINT: 'is no whole number',
  DOUBLE: 'is no number',
  BOOLEAN: 'is neither yes nor no',
  DATE: 'is no date',
  TIMESTAMP: 'is no date and time',
  TIME: 'is no time',
}

/** Why a value does not fit its column, in the words of the review. */
export function misfitLabel(value: string, type: string): string {
  const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value
  return `"${shown}" ${labels[type] ?? `is no ${type.toLowerCase()}`}`
}
