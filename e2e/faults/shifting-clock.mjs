// Preloaded into a server (NODE_OPTIONS=--import). On SIGUSR2 it reads an offset in milliseconds from the file
// CLOCK_FILE, shifts the wall clock by it, and removes the file. Timers are not affected, as when a real clock is set.
import { readFileSync, rmSync } from 'node:fs'

const TrueDate = Date
const file = process.env.CLOCK_FILE ?? ''
let shiftMs = 0

globalThis.Date = class ShiftedDate extends TrueDate {
  /** @param {any[]} args */
  constructor(...args) {
    // @ts-expect-error -- Date takes no rest arguments in its type
    super(...(args.length === 0 ? [TrueDate.now() + shiftMs] : args))
  }

  static now() {
    return TrueDate.now() + shiftMs
  }
}

process.on('SIGUSR2', () => {
  shiftMs = Number(readFileSync(file, 'utf8'))
  rmSync(file)
})
