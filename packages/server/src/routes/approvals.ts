import { approvalRoutes } from '@quarterdeck/protocol'
import { type Mount, mountRoute } from '../routing/mount-route.ts'

export function mountApprovalRoutes(mount: Mount): void {
  mountRoute(mount, approvalRoutes.list, ({ sessions, query }) => sessions.listApprovals(query))
  mountRoute(mount, approvalRoutes.decide, ({ sessions, params, body, by }) =>
    sessions.decideApproval(params.approvalId, body, by),
  )
}
