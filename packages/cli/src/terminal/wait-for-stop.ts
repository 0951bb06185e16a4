import type { Terminal } from './terminal.ts'

/** Two signals within this time count as one. */
const doublePressMs = 500
/** npm forwards the Ctrl-C that the terminal has already sent to the server; on a busy machine it arrives late. */
const echoMs = 10_000

/** Resolves `first` at the first stop signal and `second` at the next one, which means "at once". */
export function waitForStop({ onSignal, env }: Pick<Terminal, 'onSignal' | 'env'>, now = () => performance.now()) {
  const arrivals: (() => void)[] = []
  const arrival = () => new Promise<void>((resolve) => arrivals.push(resolve))
  const first = arrival()
  const second = arrival()
  const hasEcho = env.npm_lifecycle_event !== undefined
  let count = 0
  let lastAt = Number.NEGATIVE_INFINITY
  let isEchoDue = false
  const onStopSignal = () => {
    // Measured from the last signal that counted, so that repeated signals are not ignored forever.
    const passedMs = now() - lastAt
    const isEcho = isEchoDue && passedMs < echoMs
    isEchoDue = false
    if (isEcho || passedMs < doublePressMs) return
    lastAt = now()
    isEchoDue = hasEcho
    arrivals[count]?.()
    count += 1
  }
  // A closed terminal sends SIGHUP, which stops the server as SIGTERM does.
  const forget = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => onSignal(signal, onStopSignal))
  return { first, second, forget: () => forget.map((one) => one()) }
}
