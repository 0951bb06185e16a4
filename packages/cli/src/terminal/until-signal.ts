import { QuarterdeckError } from '@quarterdeck/protocol'
import type { Terminal } from './terminal.ts'

type Signal = Parameters<Terminal['onSignal']>[0]

/** Aborts at one of the signals, or when the command calls `leave`; `forget` removes the handlers. */
export function untilSignal(
  terminal: Terminal,
  signals: readonly Signal[] = ['SIGINT'],
): { readonly signal: AbortSignal; leave(): void; forget(): void } {
  const leaving = new AbortController()
  const leave = () => leaving.abort(new QuarterdeckError('session.closed', 'interrupted'))
  const offs = signals.map((signal) => terminal.onSignal(signal, leave))
  return {
    signal: leaving.signal,
    leave,
    forget() {
      for (const off of offs) off()
    },
  }
}
