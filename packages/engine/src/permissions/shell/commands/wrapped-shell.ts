// What a shell runs: a line in its arguments, a file, or its standard input.
import type { SimpleCommand, Word } from '../parser/shell-syntax.ts'
import { guess, nothing, ofScripts, unknown, type Wrapped } from './wrapper-shape.ts'

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'mksh', 'ash', 'fish', 'csh', 'tcsh', 'rbash', 'yash'])

export const isShell = (name: string): boolean => shells.has(name)

const standardInput = /^(?:-|\/dev\/(?:stdin|tty|fd\/.*)|\/proc\/.*\/fd\/.*)$/

export function ofShell(args: readonly Word[], origin: SimpleCommand): Wrapped {
  if (args.some((word) => /^--(?:version|help)$/.test(word.text))) return nothing
  const { at, takesScript, readsInput, startup } = readOptions(args)
  if (at === null) return unknown
  const start = startup.length === 0 ? nothing : merge(startup.map((word) => ofFile([word], origin)))
  const first = args[at]
  if (takesScript)
    return merge([start, first === undefined ? nothing : ofScripts([{ word: first, script: first.text }])])
  if (readsInput || first === undefined) return merge([start, ofStandardInput(origin)])
  return merge([start, ofFile(args.slice(at), origin)])
}

interface ShellOptions {
  /** The index where the options end; null if that cannot be determined. */
  readonly at: number | null
  readonly takesScript: boolean
  readonly readsInput: boolean
  /** Files that it reads first. */
  readonly startup: readonly Word[]
}

function readOptions(args: readonly Word[]): ShellOptions {
  const found = { takesScript: false, readsInput: false, startup: [] as Word[] }
  let at = 0
  for (; at < args.length; at += 1) {
    const word = args[at]
    if (word === undefined || !/^[-+]./.test(word.text) || word.text === '--') break
    if (!word.isLiteral) return { ...found, at: null }
    if (/^--(?:init-command|command)=|^-C$|^--init-command$/.test(word.text)) return { ...found, at: null }
    if (/^-[A-Za-z]*c/.test(word.text) || word.text === '--command') found.takesScript = true
    if (/^-[A-Za-z]*s/.test(word.text)) found.readsInput = true
    const next = args[at + 1]
    if (/^-?-(?:rcfile|init-file)$/.test(word.text) && next !== undefined) found.startup.push(next)
    if (/^[-+][A-Za-z]*[oO]$/.test(word.text) || /^-?-(?:rcfile|init-file)$/.test(word.text)) at += 1
  }
  return { ...found, at: args[at]?.text === '--' ? at + 1 : at }
}

/** `. file`: the words after it are only its arguments. */
export function ofSource(args: readonly Word[], origin: SimpleCommand): Wrapped {
  const words = args[0]?.text === '--' ? args.slice(1) : args
  if (words[0]?.text.startsWith('-') === true) return guess(words.slice(1))
  return words.length === 0 ? nothing : ofFile(words, origin)
}

function ofFile(words: readonly Word[], origin: SimpleCommand): Wrapped {
  const [file] = words
  if (file === undefined) return nothing
  if (!file.isLiteral) return unknown
  return standardInput.test(file.text) ? ofStandardInput(origin) : { ...nothing, commands: [words] }
}

/**
 * The input is known only if it is written at the shell itself. A pipe, a group, a function or a substitution around it
 * may pass on other input.
 */
function ofStandardInput(origin: SimpleCommand): Wrapped {
  // `3<<< text` is for another descriptor.
  const own = origin.redirections.filter(({ start, end }) => /^0?</.test(origin.source.slice(start, end)))
  const written = own.filter(({ operator }) => operator.startsWith('<<')).map(({ target }) => target)
  const isFed = own.length > written.length
  const found = ofScripts(written.map((word) => ({ word, script: word.text })))
  return { ...found, runsUnknown: found.runsUnknown || isFed || written.length === 0 || origin.pipedFrom.length > 0 }
}

const merge = (found: readonly Wrapped[]): Wrapped => ({
  commands: found.flatMap(({ commands }) => commands),
  scripts: found.flatMap(({ scripts }) => scripts),
  assignments: found.flatMap(({ assignments }) => assignments),
  runsUnknown: found.some(({ runsUnknown }) => runsUnknown),
})
