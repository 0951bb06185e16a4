import type { AgentSummary } from '@quarterdeck/protocol'

type Mode = NonNullable<AgentSummary['permissionMode']>

const waiting: Readonly<Record<Mode, string>> = {
  manual: 'every call that approvals.allow of its file does not name, and every question,',
  acceptEdits: 'every call but its edits and what approvals.allow of its file names, and every question,',
  acceptAll: 'no call, but every question,',
  plan: 'no call, since it executes none, but every question,',
}

/** Of what an agent does at a door: who asks there has shown no key, and decides nothing. `null` where nothing waits. */
export function approvalNotice(wire: string, agent: Pick<AgentSummary, 'permissionMode'> | undefined): string | null {
  const mode = agent?.permissionMode ?? null
  // An analysis has only the tools that its own page runs: nobody is asked about those.
  if (mode === null || wire === 'analyze') return null
  return `nothing is decided there: ${waiting[mode]} waits for an admin, in the workbench or with "quarterdeck sessions approve" or "answer"`
}
