/** Decimal units: `812 B`, `0.2 kB` (never less than one byte), `48 MB`, `2.1 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 100) return `${Math.round(bytes)} B`
  const [unit, size] = units.find(([, least]) => bytes >= least * 0.9995) ?? (['kB', 1e3] as const)
  const value = bytes / size
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${unit}`
}

const units = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const
