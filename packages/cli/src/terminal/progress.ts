// A progress line that appears after a second and disappears before other output.
import { visibleText } from '@quarterdeck/protocol'
import { isInteractive, type Terminal } from './terminal.ts'

export interface Progress {
  /** The current activity. */
  say(what: string): void
  /** Clears the line before other output. */
  hide(): void
  stop(): void
}

export function startProgress(terminal: Terminal, what: string): Progress {
  if (!isInteractive(terminal)) return silent
  let current = what
  let since = Date.now()
  let isDrawn = false

  const hide = () => {
    if (isDrawn) terminal.stderr.write('\r\u001B[2K')
    isDrawn = false
  }
  const draw = () => {
    const seconds = Math.floor((Date.now() - since) / 1000)
    if (seconds < 1) return
    terminal.stderr.write(`\r\u001B[2K\u001B[2m${visibleText(current)}, ${seconds} s\u001B[0m`)
    isDrawn = true
  }
  const timer = setInterval(draw, 1000)
  timer.unref()
  return {
    say(next) {
      if (next !== current) since = Date.now()
      current = next
    },
    hide() {
      hide()
      since = Date.now()
    },
    stop() {
      clearInterval(timer)
      hide()
    },
  }
}

const silent: Progress = { say: () => undefined, hide: () => undefined, stop: () => undefined }
