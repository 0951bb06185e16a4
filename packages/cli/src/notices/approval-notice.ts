import type { AgentSummary } from '@quarterdeck/protocol'

type Mode = NonNullable<AgentSummary['permissionMode']>

const waiting: Readonly<Record<Mode, string>> = {
  manual: 'calls that approvals.allow does not name, and questions,',
  acceptEdits: 'calls other than edits and those that approvals.allow names, and questions,',
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
  return `its clients cannot decide: ${waiting[mode]} wait for an admin, in the workbench or with "quarterdeck sessions approve" or "answer"`
}
