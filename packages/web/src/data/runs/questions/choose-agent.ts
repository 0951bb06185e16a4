import { type AgentSummary, QuarterdeckError } from '@quarterdeck/protocol'
import { isDataAgent } from '../../../stores/server/data-agent.ts'

/** The one made for it, else the only one that can be asked. Throws what a person can do where there is none. */
export function chooseAgent(agents: readonly AgentSummary[]): string {
  const sound = agents.filter(({ problems }) => problems.length === 0)
  const made = sound.find(isDataAgent) ?? sound.find(({ name }) => /analy[sz]/i.test(name))
  const chosen = made ?? sound[0]
  if (chosen !== undefined) return chosen.name
  const detail =
    agents.length === 0
      ? 'this server has no agent that could answer: copy examples/analysis into its folder'
      : `no agent of this server can answer: ${agents.map(({ name, problems: [first] }) => `${name}: ${first}`).join('; ')}`
  throw new QuarterdeckError('agent.not-found', detail)
}
