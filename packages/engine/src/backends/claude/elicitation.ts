import type { OnElicitation } from '@anthropic-ai/claude-agent-sdk'
import { elicit } from '../../elicit.ts'
import type { PersonAsker } from '../backend.ts'

/** For the MCP servers that the CLI speaks with itself. */
export const createElicitation =
  (people: PersonAsker): OnElicitation =>
  ({ serverName, message, requestedSchema, url }, { signal }) =>
    elicit(people, { server: serverName, message, schema: requestedSchema ?? null, url: url ?? null }, signal)
