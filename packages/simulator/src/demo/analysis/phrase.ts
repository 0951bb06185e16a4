// Patterns of words. A pattern returns every way to match a question; a complete match uses each word.
import type { KnownColumn, KnownTable } from './known-tables.ts'

export interface Match {
  /** The number of words matched so far. */
  readonly end: number
  readonly columns: readonly KnownColumn[]
  /** The meanings of the choices in the pattern: an aggregate, a number, a unit of time. */
  readonly picked: readonly string[]
  /** The positions of the names of columns and of the table. */
  readonly names: readonly (readonly [start: number, end: number])[]
}

export type Phrase = (words: readonly string[], table: KnownTable, match: Match) => readonly Match[]

export function readWhole(phrase: Phrase, words: readonly string[], table: KnownTable): readonly Match[] {
  const start: Match = { end: 0, columns: [], picked: [], names: [] }
  return phrase(words, table, start).filter(({ end }) => end === words.length)
}

/** One of these texts. The empty text makes it optional. */
export const text =
  (...choices: readonly string[]): Phrase =>
  (words, _table, match) =>
    choices.flatMap((choice) => {
      const end = endOf(words, match.end, choice)
      return end === null ? [] : [{ ...match, end }]
    })

/** One of these texts. Its meaning is added to `picked`. */
export const pick =
  (choices: Readonly<Record<string, string>>): Phrase =>
  (words, _table, match) =>
    Object.entries(choices).flatMap(([choice, meaning]) => {
      const end = endOf(words, match.end, choice)
      return end === null ? [] : [{ ...match, end, picked: [...match.picked, meaning] }]
    })

export const column: Phrase = (words, table, match) =>
  table.columns.flatMap((one) =>
    nameEnds(words, match.end, one.name).map((end) => ({
      ...match,
      end,
      columns: [...match.columns, one],
      names: [...match.names, [match.end, end] as const],
    })),
  )

export const tableName: Phrase = (words, table, match) =>
  nameEnds(words, match.end, table.name).map((end) => ({
    ...match,
    end,
    names: [...match.names, [match.end, end] as const],
  }))

export const inOrder =
  (...phrases: readonly Phrase[]): Phrase =>
  (words, table, match) =>
    phrases.reduce<readonly Match[]>((found, phrase) => found.flatMap((one) => phrase(words, table, one)), [match])

export const oneOf =
  (...phrases: readonly Phrase[]): Phrase =>
  (words, table, match) =>
    phrases.flatMap((phrase) => phrase(words, table, match))

/** The positions where the name can end if it starts here, with or without quotes. */
export const nameEnds = (words: readonly string[], start: number, name: string): readonly number[] => {
  const plain = normalText(name)
  if (plain === '') return []
  const ends = [plain, `"${plain}"`, `'${plain}'`, `\`${plain}\``].map((one) => endOf(words, start, one))
  return [...new Set(ends.filter((end) => end !== null))]
}

function endOf(words: readonly string[], start: number, choice: string): number | null {
  const wanted = choice === '' ? [] : choice.split(' ')
  return wanted.every((word, at) => words[start + at] === word) ? start + wanted.length : null
}

/**
 * Normalizes questions and names for comparison: lower case, spaces for underscores, no punctuation at the end. Everything
 * else is kept, so that a condition such as `> 5` is never lost.
 */
export const normalText = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[_\s]+/g, ' ')
    .replace(/[\s?.!]+$/, '')
    .trim()
