// A rule that allows an MCP tool applies to the description and input schema that the tool had at its first use or last
// approval. If its server changes them, a person is asked again: a description steers the model.
import { createHash } from 'node:crypto'
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { HostTool } from '../../ports/host-toolbox.ts'
import type { ToolFingerprint, ToolTrustStore } from '../../store/ports/tool-trust-store.ts'
import { findHostTool } from '../../tool-names/host-tool-names.ts'

export interface ToolTrustOptions {
  readonly agent: Pick<AgentDefinition, 'name' | 'tools'>
  readonly store: ToolTrustStore
  /** The tools that the servers of the session offer now. */
  readonly offered: () => readonly HostTool[]
}

export type ToolTrust = ReturnType<typeof createToolTrust>

export function createToolTrust({ agent, store, offered }: ToolTrustOptions) {
  function fingerprintNow(toolName: string): ToolFingerprint | null {
    if (findHostTool(agent.tools, toolName)?.type !== 'mcp') return null
    const tool = offered().find(({ name }) => name === toolName)
    return tool === undefined ? null : fingerprintOf(tool)
  }

  return {
    /** How the tool has changed since it was trusted, or `null`. Trusts a tool on its first use. */
    async changeOf(toolName: string): Promise<string | null> {
      const now = fingerprintNow(toolName)
      if (now === null) return null
      const trusted = await store.findTrustedTool(agent.name, toolName)
      if (trusted === null) {
        await store.trustNewTool(agent.name, toolName, now)
        return null
      }
      const changed = [
        ...(trusted.description === now.description ? [] : ['description']),
        ...(trusted.inputSchema === now.inputSchema ? [] : ['input schema']),
      ]
      if (changed.length === 0) return null
      return `its MCP server has changed the ${changed.join(' and the ')} of ${toolName} since it was allowed`
    },
    /** Takes the fingerprint of the tool now. The returned function makes it the trusted one. */
    snapshot(toolName: string): () => Promise<void> {
      const now = fingerprintNow(toolName)
      return async () => {
        if (now !== null) await store.trustTool(agent.name, toolName, now)
      }
    },
  }
}

const fingerprintOf = ({ description, inputSchema }: HostTool): ToolFingerprint => ({
  description: hashOf(description),
  inputSchema: hashOf(JSON.stringify(sorted(inputSchema))),
})

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The order of the fields in a schema has no meaning. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]))
}
