// Texts of an answer, which others send as they like: whatever is none never gets into the conversation or the log.
import { randomUUID } from 'node:crypto'
import { oddFailure } from './wire-failure.ts'

/** Letters: of a name, or an id. */
const longestName = 256

export function wordsIn(told: unknown): string {
  if (typeof told === 'string') return told
  throw oddFailure('words that are no text')
}

/** `what` has it: as a call has its id. Empty where nothing is told. */
export function nameIn(told: unknown, what: string): string {
  if (told === undefined || told === null) return ''
  if (typeof told === 'string' && told.length <= longestName) return told
  throw oddFailure(`${what} that is no text, or too long`)
}

export const isId = (told: unknown): told is string => typeof told === 'string' && /^[\x21-\x7e]{1,256}$/.test(told)

/** Neither marks that do something nor halves of letters. */
const isModel = (told: unknown): told is string =>
  typeof told === 'string' && /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,256}$/u.test(told)

/** As it was told, for whoever books by it; one of ours where that is none. */
export const toldId = (told: unknown, usual: string): string => (isId(told) ? told : ownId(null, usual))

/** Some servers give none, or the same few again and again: ours says which answer it was. */
export const ownId = (told: unknown, usual: string): string =>
  `${isId(told) ? told : usual}-${randomUUID().slice(0, 8)}`

export const servedModel = (told: unknown, asked: string): string => (isModel(told) ? told : asked)
