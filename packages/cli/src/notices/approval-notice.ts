import type { AgentSummary } from '@quarterdeck/protocol'

type Mode = NonNullable<AgentSummary['permissionMode']>

const waiting: Readonly<Record<Mode, string>> = {
  manual: 'questions, and calls that no rule allows,',
  acceptEdits: 'questions, and calls except edits that no rule allows,',
  acceptAll: 'questions',
  plan: 'questions',
}

/**
 * Which calls of an agent wait when it is used through a compatibility listener, whose clients cannot decide. `null` if
 * none do.
 */
export function approvalNotice(wire: string, agent: Pick<AgentSummary, 'permissionMode'> | undefined): string | null {
  const mode = agent?.permissionMode ?? null
  // An analysis has only tools that its own page runs: they need no approval.
  if (mode === null || wire === 'analyze') return null
  return `clients cannot decide: ${waiting[mode]} wait for an admin`
}
