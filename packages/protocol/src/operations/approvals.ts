import { z } from 'zod'
import { PermissionRule } from '../access/tool-permissions.ts'
import { ApprovalDecision } from '../events/people.ts'
import { OpenApproval } from '../projections/session/session-state.ts'
import { SessionId } from '../values/ids.ts'
import { JsonObject } from '../values/json.ts'
import { operation } from './operation.ts'
import { Applied } from './sessions.ts'

const ListApprovalsQuery = z.strictObject({ session: SessionId.optional() })

export const ApprovalList = z
  .object({ approvals: z.array(OpenApproval.extend({ agentName: z.string(), title: z.string() })) })
  .meta({ id: 'ApprovalList' })
export type ApprovalList = z.infer<typeof ApprovalList>

export const DecideApprovalBody = z
  .strictObject({
    decision: ApprovalDecision,
    /** Runs instead of the requested input: edit before allow. */
    input: JsonObject.optional(),
    /** With `allow_session`: the rule to add, one of `sessionRule` (the default) and `widerRules` of the approval. */
    rule: PermissionRule.optional(),
    /** Sent to the agent. */
    note: z.string().max(10_000).optional(),
  })
  .refine((body) => body.input === undefined || body.decision !== 'deny', 'a denial takes no input')
  .refine(
    (body) => body.rule === undefined || body.decision === 'allow_session',
    'rule: only with the decision allow_session',
  )
  .meta({ id: 'DecideApproval' })
export type DecideApprovalBody = z.input<typeof DecideApprovalBody>

export const approvalOperations = {
  listApprovals: operation({
    method: 'get',
    path: '/v1/approvals',
    rpc: 'session.approvals',
    summary: 'List every open approval, oldest first',
    permission: 'read',
    belongsTo: { items: 'approvals', session: 'session' },
    hasLargeReply: true,
    query: ListApprovalsQuery,
    reply: ApprovalList,
    errors: [],
  }),
  /** A waiting process gets the decision at once; otherwise the agent is woken with it. */
  decideApproval: operation({
    method: 'post',
    path: '/v1/approvals/{approvalId}',
    rpc: 'session.approve',
    summary: 'Allow once, allow for this session, or deny; the first decision wins',
    permission: 'decide',
    belongsTo: 'ask',
    body: DecideApprovalBody,
    reply: Applied,
    errors: ['approval.not-found', 'approval.already-decided', 'session.busy', 'session.held-elsewhere'],
  }),
}
