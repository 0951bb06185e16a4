import { createLogger, type Logger } from '@quarterdeck/engine'
import { visibleJson, visibleText } from '@quarterdeck/protocol'
import type { Terminal } from './terminal.ts'

/**
 * Lines for a person, JSON for everything that collects logs: that is what reads a server where no terminal is. What
 * other commands write stands among sentences, whoever reads them.
 */
export function createCommandLogger(
  terminal: Terminal,
  level: 'debug' | 'info' | 'warn',
  reader: 'person' | 'collector' = 'person',
): Logger {
  const isForPeople = reader === 'person' || terminal.stderr.isTTY === true
  const visible = isForPeople ? visibleText : visibleJson
  return createLogger({
    level,
    format: isForPeople ? 'text' : 'json',
    write: (line) => terminal.stderr.write(visible(line)),
  })
}
