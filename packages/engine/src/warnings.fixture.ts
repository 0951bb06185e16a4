import { onTestFinished } from 'vitest'

/** What Node warns of while the test runs. */
export function hearWarnings(): readonly string[] {
  const heard: string[] = []
  const hear = (warning: Error) => void heard.push(`${warning.name}: ${warning.message}`)
  process.on('warning', hear)
  onTestFinished(() => void process.off('warning', hear))
  return heard
}
