/** What an MCP tool said of itself, as hashes. */
export interface ToolFingerprint {
  readonly description: string
  readonly inputSchema: string
}

/** Which description and input schema of an MCP tool the rules of an agent hold for. */
export interface ToolTrustStore {
  findTrustedTool(agentName: string, toolName: string): Promise<ToolFingerprint | null>
  /** Keeps the first one: of two processes that see a tool for the first time, one decides. */
  trustNewTool(agentName: string, toolName: string, fingerprint: ToolFingerprint): Promise<void>
  /** Replaces the earlier one. */
  trustTool(agentName: string, toolName: string, fingerprint: ToolFingerprint): Promise<void>
}
