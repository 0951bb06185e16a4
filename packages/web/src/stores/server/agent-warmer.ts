import type { Client } from '@quarterdeck/client'

/** Tells the server that a user is about to start an agent, at most once a minute for each agent. */
export type AgentWarmer = ReturnType<typeof createAgentWarmer>

export function createAgentWarmer(client: Client, now: () => number = Date.now) {
  const last = new Map<string, number>()
  return {
    warm(agentName: string) {
      if (now() - (last.get(agentName) ?? Number.NEGATIVE_INFINITY) < 60_000) return
      last.set(agentName, now())
      // If this fails, only the first answer takes longer.
      client.warmAgent(agentName).catch(() => undefined)
    },
  }
}
