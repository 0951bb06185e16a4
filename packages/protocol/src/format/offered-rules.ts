// The rules that "allow for this session" can add, for every client that asks a person.

import { formatRule, type PermissionRule } from '../access/tool-permissions.ts'
import type { EventOfType } from '../events/session-event.ts'

export interface OfferedRule {
  readonly rule: PermissionRule
  readonly scope: 'call' | 'tool' | 'server'
  /** A description of the calls that it allows. */
  readonly label: string
}

type Request = Pick<EventOfType<'ApprovalRequested'>['data'], 'toolName' | 'sessionRule' | 'widerRules'>

/** The narrowest first. */
export const offeredRules = ({ toolName, sessionRule, widerRules = [] }: Request): readonly OfferedRule[] => [
  {
    rule: sessionRule,
    scope: 'call',
    // The arguments are shown above the choices, so wider rules do not repeat them.
    label: widerRules.length === 0 ? formatRule(sessionRule) : 'these arguments',
  },
  ...widerRules.map((rule): OfferedRule => {
    const scope = rule.tool === toolName ? 'tool' : 'server'
    return {
      rule,
      scope,
      label: `${scope === 'tool' ? 'this tool' : 'every tool of this server'} (${formatRule(rule)})`,
    }
  }),
]
