import { type AgentDefinition, type AgentTool, neverAborted, QuarterdeckError, SessionId } from '@quarterdeck/protocol'
import { silentLogger } from '../ports/logger.ts'
import { createRedactor } from '../redaction/redact.ts'
import { randomIds } from '../system/random-ids.ts'
import type { ToolSourceDeps } from './open-tool-source.ts'
import { createToolboxes } from './open-toolbox.ts'

export interface ToolTrial extends Pick<ToolSourceDeps, 'dataDir' | 'path' | 'toolSecrets' | 'secretFiles'> {
  readonly agent: AgentDefinition
  readonly tool: AgentTool
}

/**
 * Starts one tool as a session would, ends it again and returns the names that it offers the model. Throws
 * `tool.unavailable`, even for a tool that a session would leave out. Not for search tools, which would first ingest
 * their documents.
 */
export async function tryTool({ agent, tool, ...shared }: ToolTrial): Promise<readonly string[]> {
  const refuseCompletion = async () => {
    throw new QuarterdeckError('tool.unavailable', 'no model is available while a tool is tested')
  }
  const toolboxes = createToolboxes({
    ...shared,
    logger: silentLogger,
    isWatching: false,
    complete: refuseCompletion,
    redact: createRedactor([]).text,
    searchTools: async () => [],
  })
  try {
    const toolbox = await toolboxes.open(
      { ...agent, tools: ['onFailure' in tool ? { ...tool, onFailure: 'error' } : tool] },
      {
        sessionId: SessionId.parse(randomIds.next('ses')),
        cwd: agent.claude.workingDirectory,
        model: () => agent.model.id,
        modelAccess: { type: 'environment', variables: {} },
        questions: { ask: async () => ({ type: 'declined', message: 'no person can answer while a tool is tested' }) },
        signal: neverAborted(),
      },
    )
    try {
      return toolbox.list().map(({ name }) => name)
    } finally {
      await toolbox.close()
    }
  } finally {
    await toolboxes.close()
  }
}
