import type { AgentSummary } from '@quarterdeck/protocol'

/** As the server lists them, but what cannot be started with a click is not what a person meets first. */
export function offeredAgents(agents: readonly AgentSummary[]): readonly AgentSummary[] {
  return [...agents.filter((agent) => !isSilent(agent)), ...agents.filter(isSilent)]
}

/** A broken file stays where it is: it has something to say. */
const isSilent = ({ starters, problems }: AgentSummary): boolean => starters.length === 0 && problems.length === 0
