// A rule that allows an MCP tool holds for the tool as it described itself when it was first used or last approved. A
// server that describes it otherwise later is asked about again: the words of a description steer the model.
import { createHash } from 'node:crypto'
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { HostTool } from '../backends/backend.ts'
import { findHostTool } from '../host-tool.ts'
import type { ToolFingerprint, ToolTrustStore } from '../store/tool-trust-store.ts'

export interface ToolTrustOptions {
  readonly agent: Pick<AgentDefinition, 'name' | 'tools'>
  readonly store: ToolTrustStore
  /** What the servers of the session offer now. */
  readonly offered: () => readonly HostTool[]
}

export interface ToolTrust {
  /** Why a rule does not hold for this tool any more, in words; `null` where it does. Trusts a tool it has never seen. */
  changeOf(toolName: string): Promise<string | null>
  /** The tool as it is now. What is returned makes the rules hold for it. */
  seen(toolName: string): () => Promise<void>
}

export function createToolTrust({ agent, store, offered }: ToolTrustOptions): ToolTrust {
  function fingerprintNow(toolName: string): ToolFingerprint | null {
    if (findHostTool(agent.tools, toolName)?.type !== 'mcp') return null
    const tool = offered().find(({ name }) => name === toolName)
    return tool === undefined ? null : fingerprintOf(tool)
  }

  return {
    async changeOf(toolName) {
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
    seen(toolName) {
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

/** The order in which a server writes the fields of a schema says nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]))
}
