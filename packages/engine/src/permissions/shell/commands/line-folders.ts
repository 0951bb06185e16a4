// The folders in which the commands of a line may run: the working directory and every folder the line changes to.
import { resolve } from 'node:path'
import type { Word } from '../parser/shell-syntax.ts'
import type { EffectiveCommand } from './effective-commands.ts'
import { optionValues } from './option-values.ts'
import { startingPoints } from './write-targets.ts'

export type LineFolders = ReturnType<typeof lineFolders>

const maxFolders = 64

/** A `cd` may fail or be in a subshell, so the folders before it remain possible. */
export function lineFolders(commands: readonly EffectiveCommand[], cwd: string) {
  let folders = new Set([cwd])
  /** The line changes to a folder that is not literal. */
  let isUnknown = false
  for (const command of commands) {
    for (const target of changesTo(command)) {
      if (target === null || !isPlain(target)) {
        isUnknown = true
        continue
      }
      folders = new Set([...folders, ...[...folders].map((folder) => resolve(folder, target.text))])
      if (folders.size > maxFolders) return { folders: [cwd], isUnknown: true }
    }
  }
  return { folders: [...folders], isUnknown }
}

/** The folders that a command changes to; null if one is not literal. */
function changesTo(command: EffectiveCommand): readonly (Word | null)[] {
  const args = command.words.slice(1)
  switch (command.name) {
    case 'cd':
    case 'pushd':
    case 'chdir':
      return [args.find((word) => !/^-[LPe@n]+$/.test(word.text) && word.text !== '--') ?? null]
    case 'env':
      return optionValues(ownOptions(args), { short: 'C', long: ['chdir'] })
    case 'find':
      return args.some((word) => /^-(?:exec|ok)dir$/.test(word.text)) ? startingPoints(args) : []
    default:
      return []
  }
}

/** The words that `env` reads itself: up to the first word that is not an option, its value or an assignment. */
function ownOptions(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex((word, index) => {
    if (/^-|=/.test(word.text)) return false
    return !/^(?:-[iv0]*[uC]|--(?:u|c)[a-z]*)$/.test(args[index - 1]?.text ?? '')
  })
  return end === -1 ? args : args.slice(0, end)
}

const isPlain = (word: Word): boolean => word.isLiteral && !word.startsWithTilde && !/^[-+]\d*$/.test(word.text)

/** The paths that an argument may refer to, or null if only the shell knows. */
export function pathsOfWord(word: Word, { folders, isUnknown }: LineFolders): readonly string[] | null {
  if (!word.isPath || word.startsWithTilde) return null
  // An unquoted `.*` may expand to `..`.
  const text = word.isLiteral ? word.text : word.text.replace(/(^|\/)\.[^/]*[*?[][^/]*/g, '$1..')
  if (isUnknown && !text.startsWith('/')) return null
  return [...new Set(folders.map((folder) => resolve(folder, text)))]
}
