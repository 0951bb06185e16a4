import type { Terminal } from './terminal.ts'

/** `npm start` hands on the Ctrl-C that the terminal has sent to the server already: together they are one. */
const echoMs = 500

/** Resolves `first` when somebody wants the server to stop, and `second` when they want it at once. */
export function waitForStop({ onSignal }: Pick<Terminal, 'onSignal'>, now = () => performance.now()) {
  const arrivals: (() => void)[] = []
  const arrival = () => new Promise<void>((resolve) => arrivals.push(resolve))
  const first = arrival()
  const second = arrival()
  let count = 0
  let lastAt = Number.NEGATIVE_INFINITY
  const heed = () => {
    // From the last that counted: somebody who presses on and on is heard.
    if (now() - lastAt < echoMs) return
    lastAt = now()
    arrivals[count]?.()
    count += 1
  }
  // A terminal that is closed hangs up: what runs in it stops as if it had been told to.
  const forget = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => onSignal(signal, heed))
  return { first, second, forget: () => forget.map((one) => one()) }
}
