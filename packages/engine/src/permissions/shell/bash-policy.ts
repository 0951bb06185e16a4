// Shell commands that no rule and no mode allows. Each refusal names the responsible field of the agent file.
import { resolve } from 'node:path'
import { isWithin } from '../../system/path-inside.ts'
import type { CheckedCall } from '../calls/checked-call.ts'
import type { Refusal } from '../calls/refusal.ts'
import { textField } from '../calls/rule-subject.ts'
import { mentionsEnvFile } from '../files/env-file.ts'
import { envSentence, type FilePolicy, settingsSentence } from '../files/file-policy.ts'
import { deniesWords } from './commands/command-text.ts'
import { type EffectiveCommand, effectiveCommands } from './commands/effective-commands.ts'
import { type LineFolders, lineFolders, pathsOfWord } from './commands/line-folders.ts'
import { isShell } from './commands/wrapped-shell.ts'
import { removedTargets, writeTargets } from './commands/write-targets.ts'
import { parseCommand } from './parser/parse-command.ts'
import {
  everyCommand,
  innerCommands,
  type Redirection,
  type SimpleCommand,
  type Word,
  writesFile,
} from './parser/shell-syntax.ts'

export interface BashPolicyOptions {
  readonly cwd: string
  readonly excludedCommands: readonly string[]
  readonly allowUnsafe: boolean
  readonly files: Pick<FilePolicy, 'locate' | 'mentionsHidden' | 'endsHidden'>
}

interface Line {
  readonly effective: readonly EffectiveCommand[]
  readonly redirections: readonly Redirection[]
  readonly assigned: readonly Word[]
  readonly folders: LineFolders
  readonly matchesDots: boolean
}

export function createBashPolicy(options: BashPolicyOptions) {
  const { excludedCommands, allowUnsafe } = options
  const cwd = resolve(options.cwd)
  const isGuarded = excludedCommands.length > 0 || !allowUnsafe

  async function check(call: CheckedCall): Promise<Refusal | null> {
    const text = textField(call.toolInput, 'command')
    if (text === null) return refuse('Bash needs a command', 'the shape of the call')
    const parsed = parseCommand(text)
    if (parsed.type === 'not-understood') return isGuarded ? unreadable(parsed.reason) : null
    const line = readLine(parsed.commands)
    if (argumentsOf(line).length > maxArguments) return tooLong
    return (
      excluded(line) ??
      (allowUnsafe
        ? null
        : (unsandboxed(call) ?? privileged(line) ?? fetchedScript(line) ?? (await writesOutside(line)))) ??
      secretFile(line) ??
      (await hiddenFile(line))
    )
  }

  function readLine(commands: readonly SimpleCommand[]): Line {
    const effective = effectiveCommands(commands)
    const all = new Set([...everyCommand(commands), ...effective.map((command) => command.origin)])
    const folders = lineFolders(effective, cwd)
    return {
      effective,
      redirections: [...all].flatMap((command) => command.redirections),
      assigned: [...all].flatMap((command) => command.assignments.map(({ value }) => value)),
      folders: { ...folders, isUnknown: folders.isUnknown || searchesElsewhere(all) },
      matchesDots: matchesDots(all),
    }
  }

  const unreadable = (reason: string): Refusal =>
    refuse(
      `this command line cannot be parsed safely (${reason}); use a simpler form, one command at a time`,
      guardRule(),
    )

  const guardRule = () =>
    excludedCommands.length > 0 ? 'claude.bash.excluded_commands' : 'claude.bash.allow_unsafe: false'

  function excluded({ effective }: Line): Refusal | null {
    for (const command of effective) {
      const found = excludedCommands.find((entry) => couldMatchExclusion(entry, command))
      if (found !== undefined) {
        return refuse(
          `the command "${found}" is listed in claude.bash.excluded_commands of the agent file`,
          `claude.bash.excluded_commands: ${found}`,
        )
      }
    }
    if (!isGuarded || effective.every((command) => command.name !== null)) return null
    const sentence = 'a command whose name is not literal (a variable, eval, a pipe into a shell) is not run here'
    return refuse(`${sentence}; write the command itself`, guardRule())
  }

  /** Writes outside the working directory, and removals of it. */
  async function writesOutside({ effective, redirections, folders }: Line): Promise<Refusal | null> {
    for (const command of effective) {
      const removed = removedTargets(command)
      for (const target of [...writeTargets(command), ...linkedFolder(command)]) {
        const refusal = await refuseTarget(target, folders, removed.has(target))
        if (refusal !== null) return refusal
      }
    }
    for (const redirection of redirections.filter(writesFile)) {
      const refusal = await refuseTarget(redirection.target, folders, false)
      if (refusal !== null) return refusal
    }
    return null
  }

  async function refuseTarget(word: Word, folders: LineFolders, isRemoval: boolean): Promise<Refusal | null> {
    if (word.isLiteral && harmlessDevice.test(word.text)) return null
    const paths = pathsOfWord(word, folders)
    if (paths === null) {
      return unsafe(
        `the target of "${word.source}" is not literal; write the path out, relative to the working directory`,
      )
    }
    for (const path of paths) {
      const everything = path.replace(/\/(?:[*?.]|\[[^\]/]*\])+$/, '')
      const isOrHoldsCwd = (folder: string) => isWithin({ path: cwd, folder })
      if (isRemoval && (isOrHoldsCwd(path) || (everything !== path && isOrHoldsCwd(everything)))) {
        return unsafe('removing or moving the working directory or a folder above it')
      }
      const location = await options.files.locate(path)
      if (location?.isSettings === true) return refuse(settingsSentence(word.text), 'claude.setting_sources')
      if (location === null || location.isOutside) return unsafe(`"${word.text}" writes outside the working directory`)
    }
    return null
  }

  async function hiddenFile(line: Line): Promise<Refusal | null> {
    const belongs = (word: Word) => refuse(`${word.text} belongs to the server, not to the agent`, 'file access')
    const seen = new Set<string>()
    for (const word of new Set(argumentsOf(line))) {
      if (options.files.mentionsHidden(word.text) || tailsOf(word, line.folders).some(options.files.endsHidden)) {
        return belongs(word)
      }
      for (const candidate of [word, ...afterSeparator(word)]) {
        for (const path of pathsOfWord(candidate, { ...line.folders, isUnknown: false }) ?? []) {
          if (seen.has(path)) continue
          if (path.length >= longestPath) {
            if (candidate.text.length >= longestPath) continue
            // Short relative to the shell's folder, but too long to be looked up from the root.
            return tooDeep
          }
          if (seen.size >= maxLookups) return tooLong
          seen.add(path)
          if ((await options.files.locate(path))?.isHidden === true) return belongs(word)
        }
      }
    }
    return null
  }

  return { check }
}

const refuse = (sentence: string, rule: string): Refusal => ({ message: `Refused: ${sentence}.`, rule })

/** Each one is looked up on disk, so their number is limited. */
const maxArguments = 2000
const maxLookups = 4000
const tooLong = {
  message: `Refused: the line has more than ${maxArguments} arguments or ${maxLookups} words; use a file or a wildcard.`,
  rule: 'the shape of the call',
}

/** The longest path of the system: a longer word is text, not a file. */
const longestPath = 4096
const tooDeep = refuse(
  'the path is too long to be looked up; change into a folder closer to it',
  'the shape of the call',
)

const harmlessDevice = /^(?:-|\/dev\/(?:null|zero|stdin|stdout|stderr|tty|fd\/\d+))$/

const unsafe = (sentence: string): Refusal =>
  refuse(`${sentence} (claude.bash.allow_unsafe is false in the agent file)`, 'claude.bash.allow_unsafe: false')

function unsandboxed(call: CheckedCall): Refusal | null {
  const asks = call.toolInput.dangerouslyDisableSandbox
  return asks === undefined || asks === false ? null : unsafe('running outside the sandbox')
}

/** An entry of `excluded_commands`: a command (`rm`), or a command with its first arguments (`git push`). */
function couldMatchExclusion(entry: string, command: EffectiveCommand): boolean {
  if (command.name === null) return false // refused elsewhere
  if (deniesWords(`${entry} *`, command.words)) return true
  const [name, ...wanted] = entry.trim().toLowerCase().split(/\s+/)
  if (name === undefined || command.name !== name.slice(name.lastIndexOf('/') + 1)) return false
  // `git -C elsewhere push` is a `git push`: the arguments only have to occur in this order.
  let at = 0
  for (const word of command.words.slice(1)) {
    if (at < wanted.length && (!word.isLiteral || word.text.toLowerCase() === wanted[at])) at += 1
  }
  return at === wanted.length
}

const privilegeCommands = new Set(['sudo', 'doas', 'su', 'pkexec', 'runuser', 'sudoedit', 'run0'])

function privileged({ effective }: Line): Refusal | null {
  const found = effective.find(({ name }) => name !== null && privilegeCommands.has(name))
  return found === undefined ? null : unsafe(`"${found.name}" would change privileges`)
}

const fetchers = new Set(['curl', 'wget', 'fetch', 'aria2c', 'http', 'https', 'nc', 'ncat', 'socat', 'ftp', 'lynx'])
const interpreter = /^(?:python[\d.]*|node|nodejs|deno|bun|perl|ruby|php|osascript|lua)$/

/** `curl … | sh` in its many spellings. */
function fetchedScript({ effective }: Line): Refusal | null {
  const isFetched = (commands: readonly SimpleCommand[]) =>
    effectiveCommands(commands).some(({ name }) => name !== null && fetchers.has(name))
  const found = effective.find(({ name, words, origin }) => {
    if (name === null) return false
    const runsText = isShell(name) || interpreter.test(name) || ['eval', 'source', '.', 'xargs'].includes(name)
    return (
      runsText && isFetched([...origin.pipedFrom, ...words.flatMap((word) => word.inner), ...innerCommands(origin)])
    )
  })
  return found === undefined ? null : unsafe(`"${found.name}" would run code that was just fetched from the network`)
}

/** A link to an outside folder would redirect later writes. */
function linkedFolder(command: EffectiveCommand): readonly Word[] {
  if (command.name !== 'ln') return []
  const operands = command.words.slice(1).filter((word) => !word.text.startsWith('-'))
  return operands.length > 1 ? operands.slice(0, -1) : operands
}

/** The end of a path whose start only the shell knows: `~/x`, `$PWD/x`, or `x` after `cd "$y"`. */
function tailsOf(word: Word, { isUnknown }: LineFolders): readonly string[] {
  const last = word.parts.at(-1)
  if (word.startsWithTilde) return word.text.includes('/') ? [word.text.slice(word.text.indexOf('/'))] : []
  if (word.isLiteral) return isUnknown && word.text !== '' ? [word.text] : []
  return last?.type === 'text' && /^\/[^/]/.test(last.text) ? [last.text] : []
}

/** With `CDPATH` set, `cd` searches other folders first. */
const searchesElsewhere = (commands: ReadonlySet<SimpleCommand>): boolean =>
  [...commands].some(
    ({ assignments, words }) =>
      assignments.some(({ name }) => name === 'CDPATH') || words.some(({ text }) => /\bCDPATH=/.test(text)),
  )

/** `shopt -s dotglob`, `bash -O dotglob`, `setopt globdots`; setting `GLOBIGNORE` does the same. */
const matchesDots = (commands: ReadonlySet<SimpleCommand>): boolean =>
  [...commands].some(
    ({ assignments, words }) =>
      assignments.some(({ name }) => name === 'GLOBIGNORE') ||
      words.some(({ text }) => /dot_?glob|glob_?dots|\bGLOBIGNORE=/i.test(text)),
  )

function secretFile(line: Line): Refusal | null {
  const found = argumentsOf(line).find((word) => mentionsEnvFile(word, line))
  return found === undefined ? null : refuse(envSentence(found.text), 'file access')
}

/** Words and files of redirections. The body of a here-document is text, not an argument. */
const argumentsOf = ({ effective, redirections, assigned }: Line): readonly Word[] => [
  ...effective.flatMap((command) => command.words),
  ...assigned,
  ...redirections.filter(({ operator }) => !operator.startsWith('<<')).map(({ target }) => target),
]

/** `--file=path`, `if=path`, `@path`, `-fpath`, `file:path?mode=ro`, `open('path')`. */
function afterSeparator(word: Word): readonly Word[] {
  const texts = [
    word.text.slice(word.text.indexOf('=') + 1),
    word.text.replace(/^-[A-Za-z]/, ''),
    ...new Set(word.text.split(/[=:?@,&#;|<>()'"`\s]+/)),
  ]
  return texts.filter((text) => text !== word.text && text !== '').map((text) => ({ ...word, text }))
}
