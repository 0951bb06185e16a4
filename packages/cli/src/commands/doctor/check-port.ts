import { createServer } from 'node:net'
import { hasErrorCode } from '@quarterdeck/protocol'
import type { Check } from './check.ts'

/**
 * Whether `serve` could listen on the port. `own` is the address of the server on the data folder, if one is running.
 */
export function checkPort(
  port: number,
  { host = '127.0.0.1', own = null }: { readonly host?: string; readonly own?: string | null } = {},
): Promise<Check> {
  const name = 'Port'
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error) => {
      if (isTaken(error) && own !== null && Number(new URL(own).port) === port)
        resolve({ name, verdict: 'ok', finding: `${port} is taken by the server of this data folder`, fix: null })
      else resolve({ name, verdict: 'warn', ...explain(error, port) })
    })
    probe.listen(port, host, () =>
      probe.close(() => resolve({ name, verdict: 'ok', finding: `${port} is free`, fix: null })),
    )
  })
}

const isTaken = (error: Error): boolean => hasErrorCode(error, 'EADDRINUSE')

function explain(error: Error, port: number): Pick<Check, 'finding' | 'fix'> {
  if (isTaken(error)) {
    return { finding: `${port} is taken`, fix: 'serve uses the next free port; choose another with --port.' }
  }
  return { finding: `${port} cannot be used: ${error.message}`, fix: 'Choose another with --port.' }
}
