import type { AgentSummary } from '@quarterdeck/protocol'
import { commandLine } from '../terminal/command-line.ts'
import type { Terminal } from '../terminal/terminal.ts'

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
export function approvalNotice(
  terminal: Terminal,
  { wire, agent }: { readonly wire: string; readonly agent: string },
  agents: readonly Pick<AgentSummary, 'name' | 'permissionMode'>[],
): string | null {
  const mode = agents.find(({ name }) => name === agent)?.permissionMode ?? null
  // An analysis has only tools that its own page runs: they need no approval.
  if (mode === null || wire === 'analyze') return null
  const where = `in the workbench, with "${commandLine(terminal)} sessions approve" or "answer", or over the API`
  return `clients cannot decide: ${waiting[mode]} wait for an admin, ${where}`
}
