import { agentOperations } from './agents.ts'
import { analysisOperations } from './analyze.ts'
import { approvalOperations } from './approvals.ts'
import { clientOperations } from './clients.ts'
import { eventOperations } from './events.ts'
import { keyOperations } from './keys.ts'
import { messageOperations } from './messages.ts'
import { moneyOperations } from './money.ts'
import type { Operation, OtherOperation } from './operation.ts'
import { oversightOperations } from './oversight.ts'
import { questionOperations } from './questions.ts'
import { serverOperations } from './server.ts'
import { sessionOperations } from './sessions.ts'

/** Operations on sessions. The session service of the engine implements them, limited to the caller by `belongsTo`. */
export const sessionServiceOperations = {
  ...sessionOperations,
  ...messageOperations,
  ...eventOperations,
  ...approvalOperations,
  ...questionOperations,
  ...clientOperations,
  ...moneyOperations,
  ...oversightOperations,
}

/** Operations that the session service does not implement. The analysis wire implements `analysis`. */
const otherGroups = {
  agents: agentOperations,
  keys: keyOperations,
  server: serverOperations,
  analysis: analysisOperations,
} satisfies Record<string, Record<string, OtherOperation>>

/** Every operation by its name, which is also the name of its implementation and of the method of the client. */
export const operations = {
  ...sessionServiceOperations,
  ...otherGroups.agents,
  ...otherGroups.keys,
  ...otherGroups.server,
}
export type OperationName = keyof typeof operations

/** By tag of the OpenAPI document. */
export const operationGroups: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  sessions: sessionOperations,
  messages: messageOperations,
  events: eventOperations,
  approvals: approvalOperations,
  questions: questionOperations,
  clients: clientOperations,
  money: moneyOperations,
  oversight: oversightOperations,
  ...otherGroups,
}
