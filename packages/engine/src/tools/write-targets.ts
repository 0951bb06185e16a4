// Which of its arguments a command writes to, creates or removes. Programs that are not listed keep their secret.
import type { EffectiveCommand } from './effective-commands.ts'
import type { Word } from './shell-syntax.ts'

const writesEveryOperand = new Set(
  'rm rmdir mkdir touch truncate shred unlink mkfifo mknod tee chmod chown chgrp mv setfacl chattr'.split(' '),
)
const writesLastOperand = new Set('cp install rsync ln scp'.split(' '))

export function writeTargets(command: EffectiveCommand): readonly Word[] {
  const name = command.name ?? ''
  const args = command.words.slice(1)
  if (writesEveryOperand.has(name)) return [...operands(args), ...optionValues(args, /^(?:-t|--target-directory)$/)]
  if (writesLastOperand.has(name)) {
    const targets = optionValues(args, /^(?:-[a-zA-Z]*t|--target-directory)$/)
    return [...targets, ...(targets.length > 0 ? [] : operands(args).slice(1).slice(-1))]
  }
  switch (name) {
    case 'dd':
      return args.filter((word) => word.text.startsWith('of=')).map((word) => withoutPrefix(word, 3))
    case 'sed':
    case 'gsed':
    case 'perl':
      return args.some((word) => /^(?:-[a-zA-Z0-9]*i|--in-place)/.test(word.text)) ? editedFiles(name, args) : []
    case 'curl':
      return optionValues(args, /^(?:-[a-zA-Z#]*[oDc]|--output|--output-dir|--dump-header|--cookie-jar)$/)
    case 'wget':
      return optionValues(args, /^(?:-[a-zA-Z]*[OPoa]|--output-document|--directory-prefix|--output-file)$/)
    case 'tar':
    case 'bsdtar':
      return optionValues(args, /^(?:-[a-zA-Z]*C|--directory)$/)
    case 'unzip':
      return optionValues(args, /^-d$/)
    case 'sort':
      return optionValues(args, /^(?:-[a-zA-Z]*o|--output)$/)
    case 'git':
      return gitTargets(args)
    case 'find':
      return findTargets(args)
    default:
      return []
  }
}

function operands(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex((word) => word.text === '--')
  const before = end === -1 ? args : args.slice(0, end)
  return [...before.filter((word) => !word.text.startsWith('-') || word.text === '-'), ...args.slice(before.length + 1)]
}

/** Values of an option, attached (`-ofile`, `--output=file`) or as the next word. */
function optionValues(args: readonly Word[], option: RegExp): readonly Word[] {
  return args.flatMap((word, index) => {
    const next = args[index + 1]
    if (option.test(word.text)) return next === undefined ? [] : [next]
    const equals = word.text.indexOf('=')
    if (word.text.startsWith('--')) {
      return equals > 0 && option.test(word.text.slice(0, equals)) ? [withoutPrefix(word, equals + 1)] : []
    }
    const length = attachedAt(word.text, option)
    return length === null ? [] : [withoutPrefix(word, length)]
  })
}

/** In `-sSLofile` the value starts after `-sSLo`. */
function attachedAt(text: string, option: RegExp): number | null {
  if (!text.startsWith('-')) return null
  for (let length = 2; length < Math.min(text.length, 12); length += 1) {
    if (option.test(text.slice(0, length))) return length
  }
  return null
}

function withoutPrefix(word: Word, length: number): Word {
  const text = word.text.slice(length)
  return { ...word, text, startsWithTilde: text.startsWith('~') }
}

/** The script of `sed` is no file unless `-e` or `-f` names it. */
function editedFiles(name: string, args: readonly Word[]): readonly Word[] {
  const scripts = new Set(optionValues(args, /^(?:-[a-zA-Z0-9]*[eEf]|--expression|--file)$/))
  const files = operands(args).filter((word) => !scripts.has(word))
  return scripts.size > 0 || name === 'perl' ? files : files.slice(1)
}

function gitTargets(args: readonly Word[]): readonly Word[] {
  const at = args.findIndex((word) => ['clone', 'init', 'worktree'].includes(word.text))
  if (at === -1) return []
  const rest = operands(args.slice(at + 1))
  if (args[at]?.text === 'clone') return rest.slice(1)
  return args[at]?.text === 'init' ? rest : rest.slice(1, 2)
}

/** `find` removes what lies under its starting points, by itself or through the command it runs. */
function findTargets(args: readonly Word[]): readonly Word[] {
  const removes = args.some((word) => word.text === '-delete' || word.text.startsWith('-fprint'))
  const runs = args.some((word, index) => {
    const next = args[index + 1]
    if (next === undefined || !/^-(?:exec|ok)(?:dir)?$/.test(word.text)) return false
    const name = next.text.slice(next.text.lastIndexOf('/') + 1)
    return writesEveryOperand.has(name) || writesLastOperand.has(name)
  })
  if (!removes && !runs) return []
  const end = args.findIndex((word) => /^[-(!]/.test(word.text))
  return args.slice(0, end === -1 ? args.length : end)
}
