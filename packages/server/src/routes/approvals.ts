import type { SessionService } from '@quarterdeck/engine'
import { approvalRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from './mount-route.ts'

export function mountApprovalRoutes(mount: Mount, sessions: SessionService): void {
  mountRoute(mount, approvalRoutes.list, ({ query }) => sessions.approvals(query.session))
  mountRoute(mount, approvalRoutes.decide, ({ params, body, by }) => sessions.decide(params.approvalId, body, by))
}
