import { analyzeRoutes } from '@quarterdeck/protocol'
import { mountAnalyzeWire } from './analyze/mount-analyze-wire.ts'
import { mountChatWire } from './chat/mount-chat-wire.ts'
import { mountClaudeAgentServerWire } from './claude-agent-server/mount-claude-agent-server-wire.ts'
import type { Wire, WireName } from './wire.ts'

/** Every foreign protocol by the name of its door. */
export const wires: Readonly<Record<WireName, Wire>> = {
  chat: { paths: ['/models', '/ws/*', '/api/*'], mount: mountChatWire },
  // What is not there is told in that server's own words: its clients read them.
  'claude-agent-server': { paths: ['/compat/*'], mount: mountClaudeAgentServerWire, notFound: 'Not Found' },
  analyze: {
    paths: ['/api/*'],
    mount: mountAnalyzeWire,
    bulkyQuery: {
      path: analyzeRoutes.stream.path,
      instead: `POST ${analyzeRoutes.start.path} takes the same as a body`,
    },
  },
}
