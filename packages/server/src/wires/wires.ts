import { analysisOperations } from '@quarterdeck/protocol'
import { mountAnalyzeWire } from './analyze/mount-analyze-wire.ts'
import { mountChatWire } from './chat/mount-chat-wire.ts'
import { mountClaudeAgentServerWire } from './claude-agent-server/mount-claude-agent-server-wire.ts'
import type { Wire, WireName } from './wire.ts'

/** Every foreign protocol by its name in `--compat`. */
export const wires: Readonly<Record<WireName, Wire>> = {
  chat: { mount: mountChatWire },
  // The 404 text of the original server: its clients read it.
  'claude-agent-server': { mount: mountClaudeAgentServerWire, notFound: 'Not Found' },
  analyze: {
    mount: mountAnalyzeWire,
    bulkyQuery: {
      path: analysisOperations.streamAnalysis.path,
      instead: `POST ${analysisOperations.startAnalysis.path} accepts the same data as a body`,
    },
  },
}
