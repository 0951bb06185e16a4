import type { OnElicitation } from '@anthropic-ai/claude-agent-sdk'
import { elicit } from '../../ports/elicit.ts'
import type { QuestionAsker } from '../backend.ts'

/** For the MCP servers that the CLI speaks with itself. */
export const createElicitation =
  (asker: QuestionAsker): OnElicitation =>
  ({ serverName, message, requestedSchema, url }, { signal }) =>
    elicit(asker, { server: serverName, message, schema: requestedSchema ?? null, url: url ?? null }, signal)
