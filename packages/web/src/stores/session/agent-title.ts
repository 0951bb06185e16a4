import { type AgentPath, agentKey } from '@quarterdeck/protocol'
import type { SessionProjection } from './session-projection.ts'

/** The path of an agent from the lead down: `coder › explorer`. */
export function agentTitle({ session, tree }: SessionProjection, agent: AgentPath): string {
  const path = agent ?? []
  const names = path.map((_, depth) => tree.get(agentKey(path.slice(0, depth + 1)))?.agentType ?? 'Unattached')
  return [session.agentName, ...names].join(' › ')
}
