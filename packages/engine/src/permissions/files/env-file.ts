// `.env` files contain secrets by convention: no tool reads them. Example files contain none.
import { expandBraces } from '../shell/parser/expand-braces.ts'
import { couldMatch, type TextUnit } from '../shell/parser/glob-pattern.ts'
import type { Word } from '../shell/parser/shell-syntax.ts'

const envFile = /^\.env(?:rc|\..+)?$/i
const example = /^\.env\.(?:example|sample|template|dist)$/i

export const isEnvFile = (name: string): boolean => envFile.test(name) && !example.test(name)

export const namesEnvFile = (path: string): boolean => path.split(/[/\\]/).some(isEnvFile)

/** Globs in ripgrep syntax that exclude them from a search. */
export const envFileGlobs: readonly string[] = ['!.env', '!.env.*', '!.envrc']

export interface EnvFileSearch {
  /** The line lets wildcards match a leading dot. */
  readonly matchesDots: boolean
}

/** Whether an argument refers to such a file: alone, after `=`, `@` or `:`, or inside a piece of code. */
export function mentionsEnvFile(word: Word, { matchesDots }: EnvFileSearch): boolean {
  if (word.text.split(/[/\\=:@,'"`(){}[\]<>;|&]/).some(isEnvFile)) return true
  if (word.isLiteral) return false
  const spellings = spellingsOf(word)
  const separators = word.source.startsWith('(') ? `${inWord} \t\n` : inWord
  return (
    spellings === null ||
    spellings.some((units) => segmentsOf(units, separators).some((segment) => couldBe(segment, matchesDots)))
  )
}

const inWord = '/=:@,\'"`(){}<>;|&'

/** A character, a wildcard, or a variable. Unlike a wildcard, a variable can be a leading dot. */
type Unit = { readonly char: string } | 'wildcard' | 'variable'

/** What the shell may turn the word into; null if there are too many possibilities. */
function spellingsOf(word: Word): readonly (readonly Unit[])[] | null {
  const [only] = word.parts
  // Braces and arrays are one hole, but their literal text counts here.
  if (word.parts.length !== 1 || only?.type !== 'hole') {
    return [word.parts.flatMap((part) => (part.type === 'hole' ? ['variable'] : readGlob(part.text)))]
  }
  const filled = only.text.replace(/\$\{[^}]*\}|\$\([^)]*\)|`[^`]*`|\$\w+/g, filledIn)
  return expandBraces(filled)?.map(readGlob) ?? null
}

/** Cannot occur in a line: see `parseCommand`. */
const filledIn = '\0'

function readGlob(text: string): readonly Unit[] {
  const pieces = text.match(/\[[^\]]{0,64}\]|./gsu) ?? []
  return pieces.map((piece): Unit => {
    if (piece === filledIn) return 'variable'
    return piece.startsWith('[') || '*?]'.includes(piece) ? 'wildcard' : { char: piece.toLowerCase() }
  })
}

function segmentsOf(units: readonly Unit[], separators: string): readonly (readonly Unit[])[] {
  const segments: Unit[][] = [[]]
  for (const unit of units) {
    if (typeof unit === 'object' && separators.includes(unit.char)) segments.push([])
    else segments.at(-1)?.push(unit)
  }
  return segments
}

function couldBe(segment: readonly Unit[], matchesDots: boolean): boolean {
  const [first] = segment
  const written = segment.map((unit) => (typeof unit === 'object' ? unit.char : '')).join('')
  if (first === undefined) return false
  if (written.length === segment.length) return isEnvFile(written)
  const units = segment.map(
    (unit): TextUnit => (typeof unit === 'object' ? { type: 'char', ...unit } : { type: 'hole' }),
  )
  const matches = (...names: readonly string[]) => names.some((name) => couldMatch(name, units))
  if (first === 'wildcard') return matchesDots && matches('.env', '.envrc', '.env.*')
  // A variable alone could be anything: only adjacent literal text can rule a name out.
  if (first === 'variable') return written !== '' && written !== '.' && matches('.env', '.envrc')
  return first.char === '.' && matches('.env', '.envrc', '.env.*')
}
