// Texts of an answer, which others send as they like: whatever is none never gets into the conversation or the log.
import { randomUUID } from 'node:crypto'
import { malformedFailure } from './wire-failure.ts'

/** Letters: of a name, or an id. */
const longestName = 256

export function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  throw malformedFailure('words that are no text')
}

/** `what` has it: as a call has its id. Empty where nothing is told. */
export function nameIn(value: unknown, what: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' && value.length <= longestName) return value
  throw malformedFailure(`${what} that is no text, or too long`)
}

export const isId = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]{1,256}$/.test(value)

/** Neither marks that do something nor halves of letters. */
const isModel = (value: unknown): value is string =>
  typeof value === 'string' && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,256}$/u.test(value)

/** As it was told, for whoever books by it; one of ours where that is none. */
export const reportedId = (value: unknown, prefix: string): string => (isId(value) ? value : uniqueId(null, prefix))

/** Some servers give none, or the same few again and again: ours says which answer it was. */
export const uniqueId = (value: unknown, prefix: string): string =>
  `${isId(value) ? value : prefix}-${randomUUID().slice(0, 8)}`

export const servedModel = (value: unknown, asked: string): string => (isModel(value) ? value : asked)
