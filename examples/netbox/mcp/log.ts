// Lines on stderr: stdout belongs to the protocol. The token is taken out of every line.
import { createRedactor } from './redactor.ts'

const levels = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const
export type LogLevel = (typeof levels)[number]
export type Log = (level: LogLevel, message: string) => void

export function createLog({ level, secret, write }: LogPlace): Log {
  const redacted = createRedactor(secret)
  return (at, message) => {
    if (levels.indexOf(at) >= levels.indexOf(level)) write(`${at} ${redacted(message)}\n`)
  }
}

interface LogPlace {
  readonly level: LogLevel
  readonly secret: string
  readonly write: (line: string) => void
}

export function logLevelOf(said: string | undefined): LogLevel {
  const name = said?.trim().toUpperCase() ?? ''
  if (name === '') return 'INFO'
  const level = levels.find((one) => one === name || (one === 'WARNING' && name === 'WARN'))
  if (level === undefined) throw new Error(`LOG_LEVEL is unknown: ${levels.join(', ')} are`)
  return level
}
