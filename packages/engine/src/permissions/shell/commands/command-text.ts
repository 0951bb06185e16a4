// The text of a command that rules are matched against.
import { couldMatch, plainUnits, type TextUnit } from '../parser/glob-pattern.ts'
import { isHarmless, type SimpleCommand, type Word, writesFile } from '../parser/shell-syntax.ts'

/** `Bash(npm test *)` also covers `npm test` alone; `:*` is the older spelling of ` *`. */
function commandPatterns(pattern: string): readonly string[] {
  const spelled = pattern.endsWith(':*') ? `${pattern.slice(0, -2)} *` : pattern
  return spelled.endsWith(' *') ? [spelled, spelled.slice(0, -2)] : [spelled]
}

/** For allowing: the exact source and a normalized form. No wildcard covers a redirection that writes a file. */
export function allowsCommand(pattern: string, command: SimpleCommand): boolean {
  const texts = [sourceUnits(command), tidyUnits(command)]
  return commandPatterns(pattern).some((one) => texts.some((text) => couldMatch(one, text)))
}

/** For denying: the words without quotes and with holes open, with and without the command's folder. */
export function deniesWords(pattern: string, words: readonly Word[]): boolean {
  const [first, ...rest] = words
  if (first === undefined) return false
  const named = wordUnits(first)
  const bare = named.slice(named.findLastIndex((unit) => unit.type === 'char' && unit.char === '/') + 1)
  const names = [named, bare, bare.map(lowerCase)]
  const tail = rest.flatMap((word) => [space, ...wordUnits(word)])
  const texts = names.map((name) => [...name, ...tail])
  return commandPatterns(pattern).some((one) => texts.some((text) => couldMatch(one, text)))
}

export const deniesSource = (pattern: string, source: string): boolean =>
  commandPatterns(pattern).some((one) => couldMatch(one, plainUnits(source.trim())))

const space: TextUnit = { type: 'char', char: ' ' }

const lowerCase = (unit: TextUnit): TextUnit =>
  unit.type === 'hole' ? unit : { ...unit, char: unit.char.toLowerCase() }

const wordUnits = (word: Word): readonly TextUnit[] =>
  word.parts.flatMap((part): readonly TextUnit[] => (part.type === 'text' ? plainUnits(part.text) : [{ type: 'hole' }]))

function sourceUnits(command: SimpleCommand): readonly TextUnit[] {
  const units = [...plainUnits(command.source)]
  for (const { start, end } of command.redirections.filter(writesFile)) {
    for (let at = start; at < end; at += 1) units[at] = { type: 'guarded', char: command.source[at] ?? '' }
  }
  return units
}

/** One space between words, quotes only if needed, without redirections that touch no file. */
function tidyUnits(command: SimpleCommand): readonly TextUnit[] {
  const assignments = command.assignments.map(({ name, value }) => `${name}=${tidyWord(value)}`)
  const text = [...assignments, ...command.words.map(tidyWord)].join(' ')
  const redirections = command.redirections.filter((redirection) => !isHarmless(redirection))
  return [
    ...plainUnits(text),
    ...redirections.flatMap((redirection): readonly TextUnit[] => [
      space,
      ...plainUnits(redirection.operator).map(
        (unit): TextUnit => (unit.type === 'char' ? { type: 'guarded', char: unit.char } : unit),
      ),
      space,
      ...plainUnits(tidyWord(redirection.target)),
    ]),
  ]
}

function tidyWord(word: Word): string {
  if (!word.isLiteral || word.startsWithTilde) return word.source
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word.text) ? word.text : `'${word.text.replaceAll("'", "'\\''")}'`
}
