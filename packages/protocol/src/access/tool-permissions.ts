// The effect of a call and the rule that decided it. A rule is written `Tool` or `Tool(pattern)`, where `*` in the
// pattern stands for any text of the argument that identifies the call (a command, a path, a URL), `\*` for an asterisk
// and `\\` for a backslash.
import { z } from 'zod'

export const PermissionMode = z.enum(['manual', 'acceptEdits', 'acceptAll', 'plan'])
export type PermissionMode = z.infer<typeof PermissionMode>

/** From the most to the least restrictive. */
const modes: readonly PermissionMode[] = ['plan', 'manual', 'acceptEdits', 'acceptAll']

/** A requested mode may allow less than the current one, never more. */
export const allowsMore = (wanted: PermissionMode, allowed: PermissionMode): boolean =>
  modes.indexOf(wanted) > modes.indexOf(allowed)

export const EffectClass = z.enum(['read', 'write', 'network', 'spend', 'irreversible'])
export type EffectClass = z.infer<typeof EffectClass>

export const PermissionRule = z.object({ tool: z.string().min(1), pattern: z.string().min(1).nullable() })
export type PermissionRule = z.infer<typeof PermissionRule>

const rulePattern = /^(?<tool>[A-Za-z0-9_*.-]+)(?:\((?<pattern>[\s\S]+)\))?$/

/** `undefined` if the text is not a rule. */
export function parseRule(text: string): PermissionRule | undefined {
  const groups = rulePattern.exec(text.trim())?.groups
  if (groups?.tool === undefined) return undefined
  return { tool: groups.tool, pattern: groups.pattern ?? null }
}

export const formatRule = (rule: PermissionRule): string =>
  rule.pattern === null ? rule.tool : `${rule.tool}(${rule.pattern})`
