// `.env` files hold secrets by custom: no tool reads them. Examples of them hold none.
import { couldMatch, type TextUnit } from './glob-pattern.ts'
import type { Word } from './shell-syntax.ts'

const envFile = /^\.env(?:rc|\..+)?$/i
const example = /^\.env\.(?:example|sample|template|dist)$/i

export const isEnvFile = (name: string): boolean => envFile.test(name) && !example.test(name)

export const namesEnvFile = (path: string): boolean => path.split(/[/\\]/).some(isEnvFile)

/** Globs that keep a search out of them, in the words of ripgrep. */
export const envFileGlobs: readonly string[] = ['!.env', '!.env.*', '!.envrc']

/** Whether an argument is about such a file: alone, after `=`, `@` or `:`, or inside a piece of code. */
export function mentionsEnvFile(word: Word): boolean {
  if (word.text.split(/[/\\=:@,'"`(){}[\]<>;|&]/).some(isEnvFile)) return true
  return !word.isLiteral && couldBecomeEnvFile(word)
}

/** `.e*` and `.en?` are filled in by the shell; a leading `*` never becomes a dot. */
function couldBecomeEnvFile(word: Word): boolean {
  if (!word.isPath) return false
  const segment = word.parts.map((part) => ({ ...part, text: part.text }))
  const units: TextUnit[] = segment.flatMap(({ type, text }): TextUnit[] =>
    type === 'text' ? [...text].map((char) => ({ type: 'char', char })) : [{ type: 'hole' }],
  )
  const slash = units.findLastIndex((unit) => unit.type === 'char' && unit.char === '/')
  const name = units.slice(slash + 1)
  const [first] = name
  if (first?.type !== 'char' || first.char !== '.') return false
  return ['.env', '.env.local', '.envrc'].some((file) => couldMatch(file, name))
}
