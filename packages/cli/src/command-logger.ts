import { createLogger, type Logger } from '@quarterdeck/engine'
import { visibleJson, visibleText } from '@quarterdeck/protocol'
import type { Terminal } from './terminal.ts'

/** Lines for a person on a terminal, JSON for everything that collects logs. */
export function createCommandLogger(terminal: Terminal, level: 'debug' | 'info' | 'warn'): Logger {
  const isForPeople = terminal.stderr.isTTY === true
  const visible = isForPeople ? visibleText : visibleJson
  return createLogger({
    level,
    format: isForPeople ? 'text' : 'json',
    write: (line) => terminal.stderr.write(visible(line)),
  })
}
