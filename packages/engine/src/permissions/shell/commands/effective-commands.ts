// The commands that a line really runs: wrappers such as `env`, `sudo`, `xargs` or `bash -c` are unwrapped.
import { parseCommand } from '../parser/parse-command.ts'
import { everyCommand, everyWord, type SimpleCommand, type Word } from '../parser/shell-syntax.ts'
import { carriesCode, holdsCommandLine, isCounted } from './code-variables.ts'
import { evaluatesArguments } from './evaluating-builtin.ts'
import { findWrapped } from './wrapped-command.ts'

export interface EffectiveCommand {
  /** Without its folder: `/bin/rm` is `rm`. `null` if only the shell can determine it. */
  readonly name: string | null
  /** The command word and its arguments. */
  readonly words: readonly Word[]
  /** The command of the line that contains it. */
  readonly origin: SimpleCommand
  /** The wrappers around it, outermost first. */
  readonly wrappers: readonly string[]
  /** The shell would evaluate a variable or a literal argument as code. The name is then `null`. */
  readonly evaluates?: boolean
}

const maxDepth = 12
/** A line beyond this limit only tries to exhaust the parser: it counts as running something unknown. */
const maxFound = 600

interface Search {
  readonly origin: SimpleCommand
  readonly wrappers: readonly string[]
  readonly budget: { left: number }
}

/** Every command that a parsed line may run. A wrapper is listed too, before the command it wraps. */
export function effectiveCommands(commands: readonly SimpleCommand[]): readonly EffectiveCommand[] {
  const budget = { left: maxFound }
  return everyCommand(commands).flatMap((origin) => ofSimple({ origin, wrappers: [], budget }))
}

/** The commands that the words run, including code hidden in them and in the variables set for them. */
function ofSimple(search: Search): readonly EffectiveCommand[] {
  const { origin, wrappers } = search
  const assigned = origin.assignments.map(({ name, value }) => ofAssignment(name, value, search))
  return [
    ...unwrap(origin.words, search),
    ...assigned.flat(),
    ...(everyWord(origin).some((word) => word.evaluates) ? [evaluating(origin, wrappers)] : []),
  ]
}

const evaluating = (origin: SimpleCommand, wrappers: readonly string[]): EffectiveCommand => ({
  name: null,
  words: [],
  origin,
  wrappers,
  evaluates: true,
})

const namedSubscript = /\[(?!\d*\])/

function ofAssignment(target: string, value: Word, search: Search): readonly EffectiveCommand[] {
  const { origin, wrappers } = search
  const name = target.replace(/\[.*$/s, '')
  const isWorkedOut = isCounted(name) && !(value.isLiteral && /^\d*$/.test(value.text))
  if (carriesCode(name) || isWorkedOut || namedSubscript.test(target)) return [evaluating(origin, wrappers)]
  if (!holdsCommandLine(name)) return []
  if (!value.isLiteral) return [{ name: null, words: [], origin, wrappers }]
  return value.text === '' ? [] : unwrapScript(value.text, { ...search, wrappers: [...wrappers, name] })
}

function unwrap(words: readonly Word[], search: Search): readonly EffectiveCommand[] {
  const [first] = words
  if (first === undefined) return []
  const { origin, wrappers, budget } = search
  const name = commandName(first)
  const self: EffectiveCommand = { name, words, origin, wrappers }
  if (name === null) return [self]
  budget.left -= 1
  if (wrappers.length >= maxDepth || budget.left < 0) return [self, { ...self, name: null }]
  const found = findWrapped(name, words, origin)
  const inside: Search = { ...search, wrappers: [...wrappers, name] }
  return [
    self,
    ...(evaluatesArguments(name, words.slice(1)) ? [evaluating(origin, inside.wrappers)] : []),
    ...found.assignments.flatMap(({ name: target, value }) => ofAssignment(target, value, inside)),
    ...found.commands.flatMap((wrapped) => unwrap(wrapped, inside)),
    ...found.scripts.flatMap((script) => unwrapScript(script, inside)),
    ...(found.runsUnknown ? [{ ...self, name: null, wrappers: inside.wrappers }] : []),
  ]
}

function unwrapScript(script: string, search: Search): readonly EffectiveCommand[] {
  const { origin, wrappers } = search
  const parsed = parseCommand(script)
  if (parsed.type === 'not-understood') return [{ name: null, words: [], origin, wrappers }]
  return everyCommand(parsed.commands).flatMap((command) => {
    const pipedFrom = [...origin.pipedFrom, ...command.pipedFrom]
    return ofSimple({ ...search, origin: { ...command, pipedFrom } })
  })
}

/** Lower case, because some file systems are case-insensitive. */
function commandName(word: Word): string | null {
  if (!word.isLiteral || word.startsWithTilde) return null
  const name = word.text.slice(word.text.lastIndexOf('/') + 1)
  // `find -exec env {}` runs the files it finds.
  return name === '' || name.includes('{}') ? null : name.toLowerCase()
}
