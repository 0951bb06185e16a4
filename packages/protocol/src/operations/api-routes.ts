import { analyzeRoutes } from './analyze.ts'
import { approvalRoutes } from './approvals.ts'
import { clientRoutes } from './clients.ts'
import { eventRoutes } from './events.ts'
import { keyRoutes } from './keys.ts'
import { messageRoutes } from './messages.ts'
import { moneyRoutes } from './money.ts'
import { oversightRoutes } from './oversight.ts'
import { questionRoutes } from './questions.ts'
import type { Route } from './route.ts'
import { serverRoutes } from './server-info.ts'
import { sessionRoutes } from './sessions.ts'

/** Every route of the API by its group, which is also its tag in the OpenAPI document. */
export const apiRoutes = {
  sessions: sessionRoutes,
  messages: messageRoutes,
  events: eventRoutes,
  approvals: approvalRoutes,
  questions: questionRoutes,
  clients: clientRoutes,
  money: moneyRoutes,
  oversight: oversightRoutes,
  keys: keyRoutes,
  server: serverRoutes,
  analysis: analyzeRoutes,
} as const satisfies Record<string, Record<string, Route>>
