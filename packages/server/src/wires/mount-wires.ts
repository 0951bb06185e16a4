import { mountAnalyzeWire } from './analyze/mount-analyze-wire.ts'
import { mountChatWire } from './chat/mount-chat-wire.ts'
import { mountClaudeAgentServerWire } from './claude-agent-server/mount-claude-agent-server-wire.ts'
import type { DoorName, MountWire } from './wire.ts'

/** Every foreign protocol by the name of its door. */
export const wires: Readonly<Partial<Record<DoorName, MountWire>>> = {
  chat: mountChatWire,
  'claude-agent-server': mountClaudeAgentServerWire,
  analyze: mountAnalyzeWire,
}
