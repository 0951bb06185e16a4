import { createLogger, type Logger } from '@quarterdeck/engine'
import { visibleJson, visibleText } from '@quarterdeck/protocol'
import type { Terminal } from './terminal.ts'

type Level = 'debug' | 'info' | 'warn'

/** Text even in a pipe: commands print plain sentences around these lines. */
export const createCommandLogger = ({ stderr }: Terminal, level: Level): Logger =>
  createLogger({ level, format: 'text', write: (line) => stderr.write(visibleText(line)) })

export interface ServerLoggerOptions {
  /** JSON is for log collectors. */
  readonly format: 'text' | 'json'
  readonly isVerbose: boolean
}

/** Text omits `info` entries with facts unless verbose: `createEventLines` prints the events that a person needs. */
export function createServerLogger({ stderr }: Terminal, { format, isVerbose }: ServerLoggerOptions): Logger {
  const visible = format === 'text' ? visibleText : visibleJson
  const level = isVerbose ? 'debug' : 'info'
  const logger = createLogger({ level, format, write: (line) => stderr.write(visible(line)) })
  if (format === 'json' || isVerbose) return logger
  return {
    debug: () => undefined,
    warn: (facts, message) => logger.warn(facts, message),
    error: (facts, message) => logger.error(facts, message),
    info(facts, message) {
      if (Object.keys(facts).length === 0) logger.info(facts, message)
    },
  }
}
