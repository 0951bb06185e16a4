// The arguments of `git` before its verb: folders and settings, including settings that name a program to run.
import type { Word } from '../parser/shell-syntax.ts'
import { everySuffix, nothing, ofScripts, type Wrapped } from './wrapper-shape.ts'

export interface GitCall {
  /** Values of `-C`, `--git-dir` and `--work-tree`: the folders it works in. */
  readonly folders: readonly Word[]
  /** Values of `-c`. */
  readonly settings: readonly Word[]
  /** Options whose value names programs in another way. */
  readonly isRedirected: boolean
  /** The verb and its arguments. */
  readonly rest: readonly Word[]
}

const valued = /^(?:-C|-c|--(?:git-dir|work-tree|namespace|super-prefix|config-env|exec-path|attr-source))$/

/** The arguments of `git` without its name. */
export function readGit(args: readonly Word[]): GitCall {
  const folders: Word[] = []
  const settings: Word[] = []
  let isRedirected = false
  let at = 0
  for (; at < args.length; at += 1) {
    const word = args[at]
    if (word === undefined || !word.text.startsWith('-')) break
    const [option = '', attached] = splitOption(word)
    const takesNext = attached === undefined && valued.test(option) && option !== '--exec-path'
    const value = takesNext ? args[at + 1] : attached
    if (takesNext) at += 1
    if (value === undefined) continue
    if (option === '-c') settings.push(value)
    else if (/^(?:-C|--git-dir|--work-tree)$/.test(option)) folders.push(value)
    else if (/^--(?:config-env|exec-path)$/.test(option)) isRedirected = true
  }
  return { folders, settings, isRedirected, rest: args.slice(at) }
}

function splitOption(word: Word): readonly [string, Word?] {
  const equals = word.text.indexOf('=')
  if (!word.text.startsWith('--') || equals === -1) return [word.text]
  const text = word.text.slice(equals + 1)
  return [word.text.slice(0, equals), { ...word, text, startsWithTilde: text.startsWith('~') }]
}

/** Settings with a text, a number or a choice. Any other may name a program, a hook or a settings file. */
const harmless =
  /^(?:user\.|color\.|advice\.|column\.|i18n\.|status\.|log\.|blame\.|push\.|pull\.|fetch\.|rebase\.|branch\.|author\.|committer\.|rerere\.|safe\.|init\.defaultbranch$|(?:commit|tag)\.gpgsign$|core\.(?:quotepath|autocrlf|eol|filemode|ignorecase|abbrev|bare|safecrlf|longpaths|symlinks)$|diff\.(?:renames|algorithm|context|noprefix|mnemonicprefix|colormoved)$|merge\.(?:conflictstyle|ff|stat)$|http\.(?:version|postbuffer)$|protocol\.version$|remote\.[^.]+\.(?:url|fetch|pushurl)$)/i
const program = /^(?:core\.(?:pager|editor|sshcommand)|pager\..*|sequence\.editor)$/i

/** Without the options before the verb it is the same command: `git -C x push` is a `git push`. */
export function ofGit(words: readonly Word[]): Wrapped {
  const { settings, isRedirected, rest } = readGit(words.slice(1))
  const [self] = words
  const found = settings.map(ofSetting)
  const ran = ofVerb(rest)
  const isShorter = rest.length < words.length - 1 && self !== undefined
  return {
    ...nothing,
    commands: [...(isShorter ? [[self, ...rest]] : []), ...ran.commands],
    scripts: [...found.flatMap(({ scripts }) => scripts), ...ran.scripts],
    runsUnknown: isRedirected || ran.runsUnknown || found.some(({ runsUnknown }) => runsUnknown),
  }
}

function ofSetting(word: Word): Wrapped {
  const equals = word.text.indexOf('=')
  const key = equals === -1 ? word.text : word.text.slice(0, equals)
  return ofKey(word, key, equals === -1 ? '' : word.text.slice(equals + 1))
}

function ofKey(word: Word, key: string, value: string): Wrapped {
  const isPlain = /^[\w.-]+$/.test(key)
  if (isPlain && harmless.test(key)) return nothing
  if (isPlain && program.test(key)) return value === '' ? nothing : ofScripts([{ word, script: value }])
  return { ...nothing, runsUnknown: true }
}

const helperOption = /^(?:-x|--exec|--extcmd|--upload-pack|--receive-pack|--open-files-in-pager|--tree-filter)(?:=|$)/

function ofVerb(rest: readonly Word[]): Wrapped {
  const [verb, ...args] = rest
  const texts = args.map((word) => word.text)
  const isRunner =
    (verb?.text === 'submodule' && texts.includes('foreach')) || (verb?.text === 'bisect' && texts[0] === 'run')
  if (isRunner) return { ...everySuffix(args), runsUnknown: args.some((word) => !word.isLiteral) }
  if (verb?.text === 'filter-branch') return { ...nothing, runsUnknown: true }
  if (verb?.text === 'config') return ofConfig(args)
  if (verb === undefined || !/^(?:rebase|difftool|fetch|pull|push|clone|ls-remote|grep)$/.test(verb.text))
    return nothing
  if (texts.some((text) => text.startsWith('ext::'))) return { ...nothing, runsUnknown: true }
  const scripts = args.flatMap((word, index) => {
    if (!helperOption.test(word.text) || (word.text === '-x' && !/^(?:rebase|difftool)$/.test(verb.text))) return []
    const next = args[index + 1]
    if (word.text.includes('=')) return [{ word, script: word.text.slice(word.text.indexOf('=') + 1) }]
    return next === undefined ? [] : [{ word: next, script: next.text }]
  })
  return ofScripts(scripts)
}

/** Writes a setting: a key and a value. Reading one runs nothing. */
function ofConfig(args: readonly Word[]): Wrapped {
  const reads = /^(?:--(?:get.*|list|unset.*|remove-section|show-origin)|-l|get|list|unset)$/
  if (args.some((word) => reads.test(word.text))) return nothing
  if (args.some((word) => /^(?:-e|--edit|edit)$/.test(word.text))) return { ...nothing, runsUnknown: true }
  const words = args.filter((word) => !word.text.startsWith('-') && word.text !== 'set')
  const [value, key] = [words.at(-1), words.at(-2)]
  if (key === undefined || value === undefined) return nothing
  return key.isLiteral ? ofKey(value, key.text, value.text) : { ...nothing, runsUnknown: true }
}
