/** Hashes of the description and the input schema that an MCP server gave for a tool. */
export interface ToolFingerprint {
  readonly description: string
  readonly inputSchema: string
}

/** The fingerprint of each MCP tool for which the allow rules of an agent apply. */
export interface ToolTrustStore {
  findTrustedTool(agentName: string, toolName: string): Promise<ToolFingerprint | null>
  /** Keeps an existing fingerprint: if two processes see a tool for the first time, the first write wins. */
  trustNewTool(agentName: string, toolName: string, fingerprint: ToolFingerprint): Promise<void>
  /** Replaces an existing fingerprint. */
  trustTool(agentName: string, toolName: string, fingerprint: ToolFingerprint): Promise<void>
}
