// Loaded before a server (NODE_OPTIONS=--import): each SIGUSR2 sets its wall clock to what the file named by CLOCK_FILE
// says, in milliseconds from the true time, and removes the file. Timers go on as they were, as on a machine whose clock is set.
import { readFileSync, rmSync } from 'node:fs'

const TrueDate = Date
const file = process.env.CLOCK_FILE ?? ''
let shiftMs = 0

globalThis.Date = class ShiftedDate extends TrueDate {
  /** @param {any[]} parts */
  constructor(...parts) {
    // @ts-expect-error -- Date takes no rest arguments in its type
    super(...(parts.length === 0 ? [TrueDate.now() + shiftMs] : parts))
  }

  static now() {
    return TrueDate.now() + shiftMs
  }
}

process.on('SIGUSR2', () => {
  shiftMs = Number(readFileSync(file, 'utf8'))
  rmSync(file)
})
