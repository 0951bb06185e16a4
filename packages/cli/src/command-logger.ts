import { createLogger, type Logger } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import type { Terminal } from './terminal.ts'

/** Lines for a person on a terminal, JSON for everything that collects logs. */
export function createCommandLogger(terminal: Terminal, level: 'debug' | 'info' | 'warn'): Logger {
  return createLogger({
    level,
    format: terminal.stderr.isTTY === true ? 'text' : 'json',
    write: (line) => terminal.stderr.write(visibleText(line)),
  })
}
