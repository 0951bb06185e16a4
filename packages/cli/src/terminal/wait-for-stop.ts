import type { Terminal } from './terminal.ts'

/** Somebody who presses twice in one breath means one. */
const doublePressMs = 500
/** npm hands on the Ctrl-C that the terminal has sent to the server already; on a busy machine it comes late. */
const echoMs = 10_000

/** Resolves `first` when somebody wants the server to stop, and `second` when they want it at once. */
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
    // From the last that counted: somebody who presses on and on is heard.
    const passedMs = now() - lastAt
    const isEcho = isEchoDue && passedMs < echoMs
    isEchoDue = false
    if (isEcho || passedMs < doublePressMs) return
    lastAt = now()
    isEchoDue = hasEcho
    arrivals[count]?.()
    count += 1
  }
  // A terminal that is closed hangs up: what runs in it stops as if it had been told to.
  const forget = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => onSignal(signal, onStopSignal))
  return { first, second, forget: () => forget.map((one) => one()) }
}
