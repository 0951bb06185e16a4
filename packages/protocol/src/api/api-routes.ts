import { approvalRoutes } from './approvals.ts'
import { eventRoutes } from './events.ts'
import { messageRoutes } from './messages.ts'
import type { Route } from './route.ts'
import { serverRoutes } from './server-info.ts'
import { sessionRoutes } from './sessions.ts'

/** Every route of the API by its family, which is also its tag in the OpenAPI document. */
export const apiRoutes = {
  sessions: sessionRoutes,
  messages: messageRoutes,
  events: eventRoutes,
  approvals: approvalRoutes,
  server: serverRoutes,
} as const satisfies Record<string, Record<string, Route>>
