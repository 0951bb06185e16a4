import type { Client } from '@quarterdeck/client'

/** Tells the server that somebody is about to use an agent, at most once a minute for each. */
export interface AgentWarmer {
  warm(agentName: string): void
}

export function createAgentWarmer(client: Client, now: () => number = Date.now): AgentWarmer {
  const last = new Map<string, number>()
  return {
    warm(agentName) {
      if (now() - (last.get(agentName) ?? Number.NEGATIVE_INFINITY) < 60_000) return
      last.set(agentName, now())
      // Without it the first answer takes longer, and nothing else.
      client.warmAgent(agentName).catch(() => undefined)
    },
  }
}
