import { QuarterdeckError } from '@quarterdeck/protocol'
import type { Terminal } from './terminal.ts'

type Signal = Parameters<Terminal['onSignal']>[0]

/** Aborts at one of the signals; `forget` removes the handlers. */
export function untilSignal(
  terminal: Terminal,
  signals: readonly Signal[] = ['SIGINT'],
): { readonly signal: AbortSignal; forget(): void } {
  const leaving = new AbortController()
  const leave = () => leaving.abort(new QuarterdeckError('session.closed', 'interrupted'))
  const offs = signals.map((signal) => terminal.onSignal(signal, leave))
  return {
    signal: leaving.signal,
    forget() {
      for (const off of offs) off()
    },
  }
}
