// Logs to stderr, because stdout carries the protocol. The token is removed from every line.
import { createRedactor } from './redactor.ts'

const levels = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const
export type LogLevel = (typeof levels)[number]
export type Log = (level: LogLevel, message: string) => void

export function createLog({ level, secret, write }: LogOptions): Log {
  const redacted = createRedactor(secret)
  return (at, message) => {
    if (levels.indexOf(at) >= levels.indexOf(level)) write(`${at} ${redacted(message)}\n`)
  }
}

interface LogOptions {
  readonly level: LogLevel
  readonly secret: string
  readonly write: (line: string) => void
}

export function logLevelOf(text: string | undefined): LogLevel {
  const name = text?.trim().toUpperCase() ?? ''
  if (name === '') return 'INFO'
  const level = levels.find((one) => one === name || (one === 'WARNING' && name === 'WARN'))
  if (level === undefined) throw new Error(`LOG_LEVEL is unknown. Use one of: ${levels.join(', ')}`)
  return level
}
