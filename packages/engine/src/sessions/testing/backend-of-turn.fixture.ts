// A backend made of one turn, for misbehaviour that the scripted backend does not show.
import { draft } from '@quarterdeck/protocol'
import type { AgentBackend, BackendEvent, ToolGate } from '../../backends/backend.ts'
import { createAgentSession } from '../../backends/driver/create-agent-session.ts'
import type { TurnDriver } from '../../backends/driver/turn-driver.ts'
import { emptyResult, nothingUsed } from '../../backends/empty-result.ts'

export function backendOf(turn: (input: string, gate: ToolGate) => AsyncIterable<BackendEvent>): AgentBackend {
  const driverOf = (gate: ToolGate): TurnDriver => ({
    turn: (input) => turn(input, gate),
    interrupt: async () => undefined,
    setModel: async () => undefined,
    setPermissionMode: async () => undefined,
    close: async () => undefined,
  })
  return {
    initialize: async () => undefined,
    invokeOnce: async () => emptyResult,
    createSession: async ({ gate }) => createAgentSession(driverOf(gate)),
    branch: async () => null,
    forget: async () => undefined,
    teardown: async () => undefined,
  }
}

export const completedTurn = draft('TurnEnded', {
  outcome: 'completed',
  result: { ...emptyResult, numTurns: 1 },
  ...nothingUsed,
  durationMs: 1,
  durationApiMs: 1,
})
