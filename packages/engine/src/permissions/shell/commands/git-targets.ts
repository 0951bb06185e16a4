// Where `git` writes besides its own repository.

import type { Word } from '../parser/shell-syntax.ts'
import { readGit } from './git-command.ts'
import { notWritten, operands, optionValues } from './option-values.ts'

const readers = new Set(
  'status log diff show blame rev-parse rev-list ls-files ls-tree ls-remote cat-file grep describe shortlog'.split(' '),
)

export function gitTargets(args: readonly Word[]): readonly Word[] {
  const { folders, rest } = readGit(args)
  const [verb, ...words] = rest
  const isReader = verb?.isLiteral === true && readers.has(verb.text)
  return [
    ...(isReader ? [] : folders),
    ...verbTargets(verb?.text ?? '', words),
    ...optionValues(words, { long: ['separate-git-dir'] }),
  ]
}

function verbTargets(verb: string, args: readonly Word[]): readonly Word[] {
  const rest = operands(args)
  switch (verb) {
    case 'clone':
      return rest.slice(1)
    case 'init':
      return rest
    case 'worktree':
      return rest.slice(1, 2)
    case 'config':
      return configTargets(args)
    case 'archive':
    case 'format-patch':
      return optionValues(args, { short: 'o', long: ['output', 'output-directory'] })
    case 'bundle':
      return rest.slice(1, 2)
    case 'checkout-index':
      return optionValues(args, { long: ['prefix'] })
    default:
      return []
  }
}

/** The settings of the user and the machine are elsewhere. */
function configTargets(args: readonly Word[]): readonly Word[] {
  const reads = args.some((word) => /^(?:--get.*|--list|-l|get|list)$/.test(word.text))
  const files = optionValues(args, { short: 'f', long: ['file'] })
  const asked = operands(args).filter((word) => !files.includes(word))
  if (reads || (asked.length === 1 && !args.some((word) => /^(?:-e|--edit|--unset|--re|--add)/.test(word.text))))
    return []
  return [...args.filter((word) => /^--(?:gl|sy)/.test(word.text)).map(notWritten), ...files]
}
