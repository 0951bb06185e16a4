// Decisions on approvals and answers to questions.
import { type ApprovalId, type JsonObject, QuarterdeckError } from '@quarterdeck/protocol'
import { requireOfferedInput } from '../asks/require-offered-input.ts'
import { createSessionPermissions } from '../asks/session-permissions.ts'
import { requireFittingInput } from '../rules/ask-kinds/approval.ts'
import { requireOpenAsk } from '../rules/decide-ask.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import type { SessionOperations } from '../session-service.ts'
import type { RunningSession } from '../state/running-session.ts'

export function createAskOperations(context: OperationContext) {
  const { agents, coordinator, answer, apply, applied } = context

  /** A call that the current rules forbid is refused here, before the agent receives the decision. */
  async function judgeAllowed(running: RunningSession, approvalId: ApprovalId, edited: JsonObject | null) {
    const state = running.writer.state()
    const { toolName, toolInput: asked, inputHash: askedHash } = requireOpenAsk(state, approvalId).request
    if (edited !== null) requireFittingInput({ toolName, toolInput: asked }, edited)
    const toolInput = edited ?? asked
    const inputHash = context.hashCall({ toolName, toolInput })
    // The logged input has its secrets removed and may be judged differently: the gate judges the real call.
    if (edited === null && inputHash !== askedHash) return {}
    const agent = await agents.load(state.agentName)
    if (edited !== null) requireOfferedInput(running, agent, { toolName, toolInput })
    const permissions = createSessionPermissions(agent, running.writer.state, context.hiddenPaths)
    const situation = { mode: state.permissionMode, sessionRules: state.rules }
    const verdict = await permissions.check({ toolName, toolInput }, situation)
    if (verdict.type === 'deny') {
      const what = edited === null ? 'decision: the call cannot be allowed now' : 'input'
      throw new QuarterdeckError('request.invalid', `${what}: ${verdict.message}`)
    }
    return edited === null ? {} : { inputHash }
  }

  return {
    async decideApproval(approvalId, { decision, input = null, rule, note = null }, by) {
      const { running, events } = await answer(approvalId, by, async (opened) => ({
        decision,
        input,
        ...(decision === 'deny' && input === null ? {} : await judgeAllowed(opened, approvalId, input)),
        ...(rule === undefined ? {} : { rule }),
        note,
      }))
      const isReceived = events.some((event) => event.type === 'ApprovalDecided' && event.data.wasLive)
      // A denial carries its note. An allowed call cannot, so its note follows as a message into the turn.
      if (isReceived && note !== null && decision !== 'deny') {
        const message = { content: note, delivery: 'immediate', seed: approvalId } as const
        return (await context.queue(running, message, by)).reply
      }
      coordinator.kick(running)
      return applied(running, events)
    },

    async answerQuestion(questionId, { answers, note = null }, by) {
      const { running, events } = await answer(questionId, by, () => ({ answers, note }))
      coordinator.kick(running)
      return applied(running, events)
    },

    async revokeRule(sessionId, rule, by) {
      const { running, events } = await apply(sessionId, { type: 'rule.revoke', rule, by })
      return applied(running, events)
    },
  } satisfies Partial<SessionOperations>
}
