// Matches the rules for Bash against a whole command line, with its pipes, lists, loops and wrappers.
import type { PermissionRule } from '@quarterdeck/protocol'
import { allowsCommand, deniesSource, deniesWords } from '../shell/commands/command-text.ts'
import { type EffectiveCommand, effectiveCommands } from '../shell/commands/effective-commands.ts'
import { literalPattern } from '../shell/parser/glob-pattern.ts'
import { parseCommand } from '../shell/parser/parse-command.ts'
import { everyCommand, type SimpleCommand } from '../shell/parser/shell-syntax.ts'

/** The rules that together allow every command of the line. */
export function rulesAllowingCommandLine(
  rules: readonly PermissionRule[],
  line: string | null,
): readonly PermissionRule[] | null {
  if (line === null) return null
  const same = rules.find(({ pattern }) => pattern !== null && literalPattern(pattern) === line.trim())
  if (same !== undefined) return [same]
  const parsed = parseCommand(line)
  if (parsed.type === 'not-understood') return null
  // A wildcard is meant for arguments, not for code that the shell evaluates in them.
  if (effectiveCommands(parsed.commands).some(({ evaluates }) => evaluates === true)) return null
  const used = new Set<PermissionRule>()
  for (const command of everyCommand(parsed.commands).filter((one) => !isPlainLoop(one))) {
    const rule = rules.find(({ pattern }) => pattern !== null && allowsSimple(pattern, command))
    if (rule === undefined) return null
    used.add(rule)
  }
  return used.size === 0 ? null : [...used]
}

/** `for x in …` sets a variable of the line. A name that a program may read counts like any other assignment. */
const isPlainLoop = ({ isLoopHead, assignments }: SimpleCommand): boolean =>
  isLoopHead === true && assignments.every(({ name }) => /^[a-z][a-z0-9]*$/.test(name))

/** A pattern never allows a command whose name only the shell can determine. */
function allowsSimple(pattern: string, command: SimpleCommand): boolean {
  const [first] = command.words
  if (first !== undefined && (!first.isLiteral || first.startsWithTilde)) return false
  return allowsCommand(pattern, command)
}

/** The first rule that denies any part of the line. A line that cannot be parsed could contain anything. */
export function ruleDenyingCommandLine(rules: readonly PermissionRule[], line: string | null): PermissionRule | null {
  const patterned = rules.filter(({ pattern }) => pattern !== null)
  const [first] = patterned
  if (first === undefined) return null
  if (line === null) return first
  const parsed = parseCommand(line)
  if (parsed.type === 'not-understood') return first
  // A part that is not literal could be anything, so the first rule denies it without looking at the rest.
  const effective = effectiveCommands(parsed.commands)
  if (effective.some(runsUnknown)) return first
  const sources = [line, ...everyCommand(parsed.commands).map((command) => command.source)]
  const matches = ({ pattern }: PermissionRule) =>
    pattern !== null &&
    (sources.some((source) => deniesSource(pattern, source)) ||
      effective.some((command) => deniesWords(pattern, command.words)))
  return patterned.find(matches) ?? null
}

/** A wrapper that runs something the line does not contain could run anything that a rule forbids. */
const runsUnknown = ({ name, words }: EffectiveCommand): boolean =>
  name === null && (words.length === 0 || words[0]?.isLiteral === true)
