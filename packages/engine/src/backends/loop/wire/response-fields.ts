// Text fields of a response, which may have any type: only valid text reaches the conversation and the log.
import { randomUUID } from 'node:crypto'
import { malformedFailure } from './wire-failure.ts'

/** Characters of a name or an id. */
const longestName = 256

export function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  throw malformedFailure('text that is not a string')
}

/** `what` names the field in the error. Returns an empty string for a missing value. */
export function nameIn(value: unknown, what: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' && value.length <= longestName) return value
  throw malformedFailure(`${what} that is not a string, or too long`)
}

export const isId = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,256}$/.test(value)

/** No control characters and no unpaired surrogates. */
const isModel = (value: unknown): value is string =>
  typeof value === 'string' && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,256}$/u.test(value)

/** The provider's id, used for booking; a generated one if it is invalid. */
export const reportedId = (value: unknown, prefix: string): string => (isId(value) ? value : uniqueId(null, prefix))

/** Some servers send no ids or repeat the same few, so a suffix makes them unique. */
export const uniqueId = (value: unknown, prefix: string): string =>
  `${isId(value) ? value : prefix}-${randomUUID().slice(0, 8)}`

export const servedModel = (value: unknown, asked: string): string => (isModel(value) ? value : asked)
