import type { AgentFile } from '../schema/agent-file.ts'
import type { ClaudeBlock } from '../schema/claude-block.ts'
import { claudeProviders } from './choose-backend.ts'

/** The block that counts for this provider, in the words of the claude block: `openai` says some of it in others. */
export function providerSettings({ model, claude, openai }: AgentFile): ClaudeBlock {
  if (claudeProviders.includes(model.provider)) return claude ?? {}
  if (openai == null) return {}
  const { permissions, disallowed_tools: disallowed, ...same } = openai
  return {
    ...same,
    allowed_tools: permissions?.allowed_tools,
    disallowed_tools: [...(disallowed ?? []), ...(permissions?.disallowed_tools ?? [])],
  }
}
