import type { Interface } from 'node:readline/promises'

/** Goes to the end of the line and deletes up to its start: readline has no call that empties the line. */
export function clearLine(prompt: Interface): void {
  for (const name of ['e', 'u']) prompt.write(null, { ctrl: true, name })
}
