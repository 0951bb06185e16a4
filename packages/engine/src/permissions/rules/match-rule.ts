// Finds the rules that allow or deny a call. Allowing must cover the whole call; denying needs only a part of it.
import type { PermissionRule } from '@quarterdeck/protocol'
import { callPatternsOf } from '../../tool-names/host-tool-names.ts'
import { canonicalJson } from '../calls/normalise-input.ts'
import {
  type CheckedCall,
  deniableSubjects,
  pathOfCall,
  pathSpellings,
  type RuleContext,
  ruleSubjects,
  textField,
} from '../calls/rule-subject.ts'
import { allowsCommand, deniesSource, deniesWords } from '../shell/commands/command-text.ts'
import { type EffectiveCommand, effectiveCommands } from '../shell/commands/effective-commands.ts'
import { escapePattern, literalPattern, matchesText } from '../shell/parser/glob-pattern.ts'
import { parseCommand } from '../shell/parser/parse-command.ts'
import { everyCommand, type SimpleCommand } from '../shell/parser/shell-syntax.ts'
import { canonicalToolName, knownTools } from '../tools/available-tools.ts'

/** The rules that together allow the call, or null. Only a Bash line can need more than one. */
export function findAllowing(
  rules: readonly PermissionRule[],
  call: CheckedCall,
  context: RuleContext,
): readonly PermissionRule[] | null {
  const mine = rules.filter((rule) => isForTool(rule, call.toolName, context))
  const whole = mine.find((rule) => rule.pattern === null || rule.pattern === '*')
  if (whole !== undefined) return [whole]
  if (call.toolName === 'Bash') return allowingLine(mine, textField(call.toolInput, 'command'))
  const groups = ruleSubjects(call, context)
  const found = mine.find(({ pattern }) =>
    groups.every((group) => group.some((subject) => pattern !== null && matchesText(pattern, subject))),
  )
  return found === undefined ? null : [found]
}

/** The first rule that denies the call, or null. A line that cannot be parsed could contain anything. */
export function findDenying(
  rules: readonly PermissionRule[],
  call: CheckedCall,
  context: RuleContext,
): PermissionRule | null {
  const mine = rules.filter((rule) => isForTool(rule, call.toolName, context))
  const whole = mine.find((rule) => rule.pattern === null)
  if (whole !== undefined) return whole
  if (call.toolName === 'Bash') return denyingLine(mine, textField(call.toolInput, 'command'))
  const subjects = [...ruleSubjects(call, context).flat(), ...deniableSubjects(call, context)]
  return mine.find(({ pattern }) => subjects.some((text) => pattern !== null && matchesText(pattern, text))) ?? null
}

/** The rule that "allow for this session" adds: this exact command, file or type of subagent; reading as a whole. */
export function suggestSessionRule(call: CheckedCall, cwd: string): PermissionRule {
  const tool = canonicalToolName(call.toolName)
  const exact = (text: string): PermissionRule => ({ tool, pattern: escapePattern(text) })
  switch (tool) {
    case 'Bash':
      return exact(textField(call.toolInput, 'command')?.trim() || canonicalJson(call.toolInput))
    case 'Read':
    case 'Glob':
    case 'Grep':
      return { tool, pattern: './*' }
    case 'Write':
    case 'Edit': {
      const path = pathOfCall(call, cwd)
      return exact(path === null ? canonicalJson(call.toolInput) : (pathSpellings(path, cwd)[0] ?? path))
    }
    case 'WebSearch':
      return { tool, pattern: null }
    default:
      return exact(ruleSubjects(call, { cwd })[0]?.[0] ?? canonicalJson(call.toolInput))
  }
}

/** A tool of the agent file with the name of a backend tool matches only by its full name. */
function isForTool(rule: PermissionRule, toolName: string, { spellings = [] }: RuleContext): boolean {
  const isOther =
    spellings.includes(rule.tool) && !(knownTools as readonly string[]).includes(canonicalToolName(rule.tool))
  return (
    isOther || callPatternsOf(canonicalToolName(rule.tool)).some((one) => matchesText(one, canonicalToolName(toolName)))
  )
}

function allowingLine(rules: readonly PermissionRule[], line: string | null): readonly PermissionRule[] | null {
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

function denyingLine(rules: readonly PermissionRule[], line: string | null): PermissionRule | null {
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
