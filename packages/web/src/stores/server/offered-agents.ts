import type { AgentSummary } from '@quarterdeck/protocol'

/** In the order of the server, but agents without starters come last. */
export function offeredAgents(agents: readonly AgentSummary[]): readonly AgentSummary[] {
  return [...agents.filter((agent) => !isSilent(agent)), ...agents.filter(isSilent)]
}

/** A broken file keeps its position, so that its problems are seen. */
const isSilent = ({ starters, problems }: AgentSummary): boolean => starters.length === 0 && problems.length === 0
