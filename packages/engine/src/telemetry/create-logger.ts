import { pino } from 'pino'
import type { Logger } from '../ports/logger.ts'
import { createRedactor } from '../redaction/redact.ts'

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** `json` for machines; `text` is one short line for people. */
  readonly format: 'json' | 'text'
  readonly write: (line: string) => void
}

export function createLogger({ level, format, write }: LoggerOptions): Logger {
  // Declared secrets never reach the logger; this covers values that a library might put into an error message.
  const redactor = createRedactor([])
  const stream = { write: (line: string) => write(redactor.text(format === 'json' ? line : toText(line))) }
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { error: pino.stdSerializers.err },
  }
  return pino({ ...options, formatters: { level: (label: string) => ({ level: label }) } }, stream)
}

function toText(line: string): string {
  const { level, time, msg, error, ...facts } = JSON.parse(line) as Record<string, unknown> // pino has just written it
  const clock = String(time).slice(11, 19)
  const fields = Object.entries(facts).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const why = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  const cause = why === undefined ? [] : [`error=${typeof why === 'string' ? why : JSON.stringify(why)}`]
  const prefix = level === 'info' ? '' : `${String(level)}: `
  return `${clock} ${prefix}${String(msg)}  ${[...fields, ...cause].join(' ')}\n`
}
