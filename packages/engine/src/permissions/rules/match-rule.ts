// Finds the rules that allow or deny a call. Allowing must cover the whole call; denying needs only a part of it.
import type { PermissionRule } from '@quarterdeck/protocol'
import { callPatternsOf } from '../../tool-names/host-tool-names.ts'
import type { CheckedCall } from '../calls/checked-call.ts'
import { canonicalJson } from '../calls/normalise-input.ts'
import {
  deniableSubjects,
  pathOfCall,
  pathSpellings,
  type RuleContext,
  ruleSubjects,
  textField,
} from '../calls/rule-subject.ts'
import { escapePattern, matchesText } from '../shell/parser/glob-pattern.ts'
import { canonicalToolName, isKnownTool } from '../tools/available-tools.ts'
import { ruleDenyingCommandLine, rulesAllowingCommandLine } from './match-command-line.ts'

/** The rules that together allow the call, or null. Only a Bash line can need more than one. */
export function findAllowing(
  rules: readonly PermissionRule[],
  call: CheckedCall,
  context: RuleContext,
): readonly PermissionRule[] | null {
  const mine = rules.filter((rule) => isForTool(rule, call.toolName, context))
  const whole = mine.find((rule) => rule.pattern === null || rule.pattern === '*')
  if (whole !== undefined) return [whole]
  if (call.toolName === 'Bash') return rulesAllowingCommandLine(mine, textField(call.toolInput, 'command'))
  const groups = ruleSubjects(call, context)
  const found = mine.find(({ pattern }) =>
    groups.every((group) => group.some((subject) => pattern !== null && matchesText(pattern, subject))),
  )
  return found === undefined ? null : [found]
}

/** The first rule that denies the call, or null. */
export function findDenying(
  rules: readonly PermissionRule[],
  call: CheckedCall,
  context: RuleContext,
): PermissionRule | null {
  const mine = rules.filter((rule) => isForTool(rule, call.toolName, context))
  const whole = mine.find((rule) => rule.pattern === null)
  if (whole !== undefined) return whole
  if (call.toolName === 'Bash') return ruleDenyingCommandLine(mine, textField(call.toolInput, 'command'))
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
  const named = canonicalToolName(rule.tool)
  const isOther = spellings.includes(rule.tool) && !isKnownTool(named)
  return isOther || callPatternsOf(named).some((one) => matchesText(one, canonicalToolName(toolName)))
}
