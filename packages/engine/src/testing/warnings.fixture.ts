import { onTestFinished } from 'vitest'

/** What Node warns of while the test runs. */
export function collectWarnings(): readonly string[] {
  const warnings: string[] = []
  const collect = (warning: Error) => void warnings.push(`${warning.name}: ${warning.message}`)
  process.on('warning', collect)
  onTestFinished(() => void process.off('warning', collect))
  return warnings
}
