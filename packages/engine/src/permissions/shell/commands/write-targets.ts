// The arguments that a command writes to, creates or removes. Programs that are not listed are not analysed.
import type { Word } from '../parser/shell-syntax.ts'
import type { EffectiveCommand } from './effective-commands.ts'
import { readGit } from './git-command.ts'
import { notWritten, type OptionNames, operands, optionValues, withoutPrefix } from './option-values.ts'

const list = (names: string): ReadonlySet<string> => new Set(names.split(' '))

const writesEveryOperand = list(
  'rm rmdir mkdir touch truncate shred unlink mkfifo mknod mktemp tee chmod chown chgrp mv setfacl chattr',
)
const writesLastOperand = list('cp install rsync ln link scp')
const packers = list('gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lzma compress uncompress')
const targetFolder: OptionNames = { short: 't', long: ['target-directory'] }

/** Options that name an output path, by program. */
const outputOptions: Readonly<Record<string, OptionNames>> = {
  curl: { short: 'oDc', long: ['output', 'output-dir', 'dump-header', 'cookie-jar', 'trace', 'trace-ascii', 'stderr'] },
  wget: { short: 'OPoa', long: ['output-document', 'directory-prefix', 'output-file', 'append-output'] },
  unzip: { short: 'd' },
  sort: { short: 'oT', long: ['output', 'temporary-directory'] },
  shuf: { short: 'o', long: ['output'] },
  time: { short: 'o', long: ['output'] },
  strace: { short: 'o', long: ['output'] },
  ltrace: { short: 'o', long: ['output'] },
  csplit: { short: 'f', long: ['prefix'] },
  mktemp: { short: 'p', long: ['tmpdir'] },
  patch: { short: 'dor', long: ['directory', 'output', 'reject-file'] },
  rsync: { short: 'T', long: ['log-file', 'backup-dir', 'partial-dir', 'temp-dir'] },
  npm: { short: 'C', long: ['prefix'] },
  pnpm: { short: 'C', long: ['dir', 'prefix'] },
  yarn: { long: ['cwd', 'prefix'] },
  'ssh-keygen': { short: 'f' },
  ...Object.fromEntries(['gcc', 'g++', 'cc', 'clang', 'ld', 'go', 'rustc'].map((name) => [name, { short: 'o' }])),
}
/** Common names of these options. */
const commonOutputOptions =
  /^--(?:output|output-?file|output-?dir|output-directory|out|outfile|out-?dir|log-?file)(?:=|$)/

export function writeTargets(command: EffectiveCommand): readonly Word[] {
  const name = command.name ?? ''
  const args = command.words.slice(1)
  const options = Object.hasOwn(outputOptions, name) ? outputOptions[name] : undefined
  return [
    ...operandTargets(name, args),
    ...(options === undefined ? [] : optionValues(args, options)),
    ...args.flatMap((word, index) => (commonOutputOptions.test(word.text) ? valueAfter(word, args[index + 1]) : [])),
  ]
}

function valueAfter(word: Word, next: Word | undefined): readonly Word[] {
  const equals = word.text.indexOf('=')
  if (equals !== -1) return [withoutPrefix(word, equals + 1)]
  return next === undefined || next.text.startsWith('-') ? [] : [next]
}

function operandTargets(name: string, args: readonly Word[]): readonly Word[] {
  if (writesEveryOperand.has(name)) return [...operands(args), ...optionValues(args, name === 'mv' ? targetFolder : {})]
  if (writesLastOperand.has(name)) return lastOperand(name, args)
  if (packers.has(name)) return has(args, /^(?:-[a-zA-Z0-9]*[clt]|--(?:stdout|list|test))/) ? [] : operands(args)
  switch (name) {
    case 'dd':
      return args.filter((word) => word.text.startsWith('of=')).map((word) => withoutPrefix(word, 3))
    case 'sed':
    case 'gsed':
    case 'perl':
      return has(args, /^(?:-[a-zA-Z0-9]*i|--i)/) ? editedFiles(name, args) : []
    case 'tar':
    case 'bsdtar':
      return archiveTargets(args)
    case 'zip':
    case 'patch':
      return operands(args).slice(0, 1)
    case 'uniq':
    case 'split':
      return operands(args).slice(1)
    case 'npm':
    case 'pnpm':
      return args.filter((word) => /^(?:-g|--global|--location=global)$/.test(word.text)).map(notWritten)
    case 'git':
      return gitTargets(args)
    case 'find':
      return findTargets(args)
    default:
      return []
  }
}

const has = (args: readonly Word[], option: RegExp): boolean => args.some((word) => option.test(word.text))

function lastOperand(name: string, args: readonly Word[]): readonly Word[] {
  if (name === 'install' && has(args, /^(?:-[a-zA-Z]*d|--d)/)) return operands(args)
  if (name === 'rsync' && has(args, /^--remove-s/)) return operands(args)
  const targets = name === 'rsync' || name === 'scp' ? [] : optionValues(args, targetFolder)
  return [...targets, ...(targets.length > 0 ? [] : operands(args).slice(1).slice(-1))]
}

/** The paths that no longer exist afterwards, with their content. */
export function removedTargets(command: EffectiveCommand): ReadonlySet<Word> {
  const args = command.words.slice(1)
  const all = operands(args)
  if (command.name === 'rm') return new Set(has(args, /^(?:-[a-zA-Z]*[rR]|--r)/) ? all : [])
  if (command.name !== 'mv') return new Set()
  return new Set(optionValues(args, targetFolder).length > 0 ? all : all.slice(0, -1))
}

/** The script of `sed` is not a file unless `-e` or `-f` names it. */
function editedFiles(name: string, args: readonly Word[]): readonly Word[] {
  const scripts = new Set(optionValues(args, { short: name === 'perl' ? 'eE' : 'ef', long: ['expression', 'file'] }))
  const files = operands(args).filter((word) => !scripts.has(word))
  return scripts.size > 0 || name === 'perl' ? files : files.slice(1)
}

/** The folders that `find` searches. */
export function startingPoints(args: readonly Word[]): readonly Word[] {
  let at = 0
  while (/^-(?:[HLP]+|O\d*|D)$/.test(args[at]?.text ?? '')) at += args[at]?.text === '-D' ? 2 : 1
  const rest = args.slice(args[at]?.text === '--' ? at + 1 : at)
  const end = rest.findIndex((word) => /^[-(!,]/.test(word.text))
  return rest.slice(0, end === -1 ? rest.length : end)
}

/** `find` removes files below its starting points, by itself or through the command it runs. */
function findTargets(args: readonly Word[]): readonly Word[] {
  const printed = args.filter((_, index) => /^-f(?:print|printf|print0|ls)$/.test(args[index - 1]?.text ?? ''))
  const runs = args.some((word, index) => {
    const next = args[index + 1]
    if (next === undefined || !/^-(?:exec|ok)(?:dir)?$/.test(word.text)) return false
    const name = next.text.slice(next.text.lastIndexOf('/') + 1)
    return writesEveryOperand.has(name) || writesLastOperand.has(name)
  })
  if (!runs && !has(args, /^-delete$/)) return printed
  const listed = args.filter((word) => word.text === '-files0-from').map(notWritten)
  return [...printed, ...startingPoints(args), ...listed]
}

const folders = { short: 'C', long: ['directory', 'one-top-level'] }
const archive = { short: 'f', long: ['file'] }
const makesOne = /^(?:-[a-zA-Z]*[cruA]|--(?:create|append|update|concat|catenate|delete))/
const leavesTheFolder = /^(?:-[a-zA-Z]*P|--absolute-n)/

/** The paths that `tar` writes: the archive it creates, or the folder it unpacks into. */
function archiveTargets(given: readonly Word[]): readonly Word[] {
  const args = modern(given)
  const made = args.some((word) => makesOne.test(word.text)) ? optionValues(args, archive) : []
  return [
    ...optionValues(args, folders),
    ...made,
    ...args.filter((word) => leavesTheFolder.test(word.text)).map(notWritten),
  ]
}

/** `tar xfC a b` is `tar -x -f a -C b`: without a dash, the letters take their values in order. */
function modern(args: readonly Word[]): readonly Word[] {
  const [first, ...rest] = args
  if (first === undefined || !first.isLiteral || !/^[a-zA-Z]+$/.test(first.text)) return args
  let taken = 0
  const options = [...first.text].flatMap((letter) => {
    const option = { ...first, text: `-${letter}`, source: `-${letter}` }
    const value = 'bCfFgHIKLNTVX'.includes(letter) ? rest[taken] : undefined
    if (value === undefined) return [option]
    taken += 1
    return [option, value]
  })
  return [...options, ...rest.slice(taken)]
}

const readers = new Set(
  'status log diff show blame rev-parse rev-list ls-files ls-tree ls-remote cat-file grep describe shortlog'.split(' '),
)

/** The paths that `git` writes besides its own repository. */
function gitTargets(args: readonly Word[]): readonly Word[] {
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
