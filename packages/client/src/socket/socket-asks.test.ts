import type { OpenClientCall } from '@quarterdeck/protocol'
import { ClientCallId, SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { createSocketAsks } from './socket-asks.ts'
import type { SocketConnection } from './socket-connection.ts'

function openConnection() {
  const sent: object[] = []
  const connection: SocketConnection = {
    opened: Promise.resolve(),
    isOver: () => false,
    call: () => Promise.resolve({}),
    send: (message) => void sent.push(JSON.parse(JSON.stringify(message))),
    close: () => undefined,
  }
  return { connection, sent }
}

const at = '2026-01-01T00:00:00.000Z'
const call: OpenClientCall = {
  sessionId: SessionId.parse('ses_00000001'),
  callId: ClientCallId.parse('ctc_00000001'),
  turnId: null,
  toolName: 'look',
  toolInput: {},
  toolUseId: 'toolu_1',
  leader: 'me',
  seq: 1,
  at,
  agent: null,
  deadlineAt: at,
  parkedUntil: at,
}

it('answers an ask that was withdrawn and repeated only with the result of the second run', async () => {
  const asks = createSocketAsks()
  const { connection, sent } = openConnection()
  const ends: ((output: string) => void)[] = []
  asks.handle('tool.call', () => new Promise((resolve) => ends.push((output) => resolve({ output, isError: false }))))
  asks.onRequest(connection, { id: 'ask-1', method: 'tool.call', params: call })
  asks.onNotification(connection, { method: '$/cancelRequest', params: { id: 'ask-1' } })
  asks.onRequest(connection, { id: 'ask-2', method: 'tool.call', params: call })
  await expect.poll(() => ends.length).toBe(2)
  ends[0]?.('first')
  await new Promise((resolve) => setTimeout(resolve))
  ends[1]?.('second')
  await expect.poll(() => sent.length).toBeGreaterThan(0)
  expect(sent).toEqual([{ jsonrpc: '2.0', id: 'ask-2', result: { output: 'second', isError: false } }])
})

it('reports a handler result that cannot be sent', async () => {
  const asks = createSocketAsks()
  const { connection, sent } = openConnection()
  asks.handle('tool.call', () => ({ output: 1n }) as never)
  asks.onRequest(connection, { id: 'ask-1', method: 'tool.call', params: call })
  await expect.poll(() => sent.length).toBeGreaterThan(0)
  expect(sent).toMatchObject([{ id: 'ask-1', error: { code: -32_603 } }])
})
