import { agentOperations } from './agents.ts'
import { analysisOperations } from './analyze.ts'
import { approvalOperations } from './approvals.ts'
import { clientOperations } from './clients.ts'
import { eventOperations } from './events.ts'
import { keyOperations } from './keys.ts'
import { messageOperations } from './messages.ts'
import { moneyOperations } from './money.ts'
import type { Operation } from './operation.ts'
import { oversightOperations } from './oversight.ts'
import { questionOperations } from './questions.ts'
import { serverOperations } from './server-info.ts'
import { sessionOperations } from './sessions.ts'

/** Operations on sessions. The session service of the engine implements them. */
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

/** Every operation by its name, which is also the name of its implementation and of the method of the client. */
export const operations = {
  ...sessionServiceOperations,
  ...agentOperations,
  ...keyOperations,
  ...serverOperations,
}
export type OperationName = keyof typeof operations

/** By tag of the OpenAPI document. Includes the wire of analyses, which has its own handlers. */
export const operationGroups: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  sessions: sessionOperations,
  messages: messageOperations,
  events: eventOperations,
  approvals: approvalOperations,
  questions: questionOperations,
  clients: clientOperations,
  money: moneyOperations,
  oversight: oversightOperations,
  agents: agentOperations,
  keys: keyOperations,
  server: serverOperations,
  analysis: analysisOperations,
}
