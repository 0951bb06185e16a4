import { createServer } from 'node:net'
import type { Check } from './check-machine.ts'

/** Whether `serve` could listen there now. */
export function checkPort(port: number, host = '127.0.0.1'): Promise<Check> {
  const name = 'Port'
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error) => resolve({ name, verdict: 'warn', ...explain(error, port) }))
    probe.listen(port, host, () =>
      probe.close(() => resolve({ name, verdict: 'ok', finding: `${port} is free`, mend: null })),
    )
  })
}

function explain(error: Error, port: number): Pick<Check, 'finding' | 'mend'> {
  if ('code' in error && error.code === 'EADDRINUSE') {
    return { finding: `${port} is taken`, mend: 'serve takes the next free one, or say --port.' }
  }
  return { finding: `${port} cannot be used: ${error.message}`, mend: 'Choose another with --port.' }
}
