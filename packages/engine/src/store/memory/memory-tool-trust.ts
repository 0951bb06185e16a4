import type { ToolFingerprint, ToolTrustStore } from '../ports/tool-trust-store.ts'

export function createMemoryToolTrust(): ToolTrustStore {
  const trusted = new Map<string, ToolFingerprint>()
  const keyOf = (agentName: string, toolName: string) => JSON.stringify([agentName, toolName])
  return {
    async findTrustedTool(agentName, toolName) {
      return trusted.get(keyOf(agentName, toolName)) ?? null
    },
    async trustNewTool(agentName, toolName, fingerprint) {
      const key = keyOf(agentName, toolName)
      if (!trusted.has(key)) trusted.set(key, fingerprint)
    },
    async trustTool(agentName, toolName, fingerprint) {
      trusted.set(keyOf(agentName, toolName), fingerprint)
    },
  }
}
