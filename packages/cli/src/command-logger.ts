import { createLogger, type Logger } from '@quarterdeck/engine'
import { visibleJson, visibleText } from '@quarterdeck/protocol'
import type { Terminal } from './terminal.ts'

type Level = 'debug' | 'info' | 'warn'

/** Lines of text, whether or not a terminal reads them: commands write them among sentences. */
export const createCommandLogger = ({ stderr }: Terminal, level: Level): Logger =>
  createLogger({ level, format: 'text', write: (line) => stderr.write(visibleText(line)) })

/** JSON for log collectors. As text: problems and plain sentences; events with facts are told by `createEventLines`. */
export function createServerLogger({ stderr }: Terminal, format: 'text' | 'json', isVerbose: boolean): Logger {
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
