import { type AgentStreamToken, SessionEvent } from '@quarterdeck/protocol'

export const tokenEvent = (messageId: string, text: string): AgentStreamToken => ({
  type: 'AgentStreamToken',
  agent: null,
  data: { messageId, text, kind: 'text' },
})

export const thoughtEvent = (seq: number, text = `thought ${seq}`): SessionEvent =>
  SessionEvent.parse({
    seq,
    id: `evt_${String(seq).padStart(8, '0')}`,
    sessionId: 'ses_fixture1',
    at: '2026-01-01T00:00:00.000Z',
    agent: null,
    v: 1,
    type: 'AgentThought',
    data: { text, messageId: `m${seq}` },
  })
