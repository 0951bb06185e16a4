import { onTestFinished } from 'vitest'

/** Node's warnings while the test runs. */
export function collectWarnings(): readonly string[] {
  const warnings: string[] = []
  const collect = (warning: Error) => void warnings.push(`${warning.name}: ${warning.message}`)
  process.on('warning', collect)
  onTestFinished(() => void process.off('warning', collect))
  return warnings
}
