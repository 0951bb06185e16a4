// Where the commands of a line may run: the working directory and every folder the line changes to.
import { resolve } from 'node:path'
import type { EffectiveCommand } from './effective-commands.ts'
import type { Word } from './shell-syntax.ts'

export interface LineFolders {
  readonly folders: readonly string[]
  /** The line changes to a folder that is not written in it. */
  readonly isUnknown: boolean
}

const maxFolders = 64

/** A `cd` may fail or sit in a subshell, so the folders before it stay possible. */
export function lineFolders(commands: readonly EffectiveCommand[], cwd: string): LineFolders {
  let folders = new Set([cwd])
  let isUnknown = false
  for (const command of commands) {
    if (command.name !== 'cd' && command.name !== 'pushd' && command.name !== 'chdir') continue
    const target = command.words.slice(1).find((word) => !/^-[LPe@]+$/.test(word.text) && word.text !== '--')
    if (target === undefined || !isPlain(target)) {
      isUnknown = true
      continue
    }
    folders = new Set([...folders, ...[...folders].map((folder) => resolve(folder, target.text))])
    if (folders.size > maxFolders) return { folders: [cwd], isUnknown: true }
  }
  return { folders: [...folders], isUnknown }
}

const isPlain = (word: Word): boolean => word.isLiteral && !word.startsWithTilde && !/^[-+]\d*$/.test(word.text)

/** The paths an argument may mean, or null when only the shell knows. */
export function pathsOfWord(word: Word, { folders, isUnknown }: LineFolders): readonly string[] | null {
  if (!word.isPath || word.startsWithTilde) return null
  // An unquoted `.*` may become `..`.
  const text = word.isLiteral ? word.text : word.text.replace(/(^|\/)\.[^/]*[*?[][^/]*/g, '$1..')
  if (isUnknown && !text.startsWith('/')) return null
  return [...new Set(folders.map((folder) => resolve(folder, text)))]
}
