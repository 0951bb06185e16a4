// Decisions on approvals and answers to questions.
import {
  AnswerQuestionBody,
  type ApprovalId,
  type DecideApprovalBody,
  type JsonObject,
  QuarterdeckError,
  unreportedAnswer,
  unreportedDecision,
} from '@quarterdeck/protocol'
import type { QuestionReply } from '../../ports/question-asker.ts'
import { handOverAnswer } from '../asks/hand-over-answer.ts'
import { requireOfferedInput } from '../asks/require-offered-input.ts'
import { createSessionPermissions } from '../asks/session-permissions.ts'
import { requireFittingInput, requireOpenApproval } from '../rules/invariants.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import type { AskOperations } from '../session-service.ts'
import type { ApprovalAnswer } from '../state/ask-waiters.ts'
import type { RunningSession } from '../state/running-session.ts'

export function createAskOperations(context: OperationContext): AskOperations {
  const { store, agents, coordinator, apply, applied, newMessageId } = context

  /** A call that the current rules forbid is refused here, before the agent hears of the approval. */
  async function judgeAllowed(running: RunningSession, approvalId: ApprovalId, edited: JsonObject | null) {
    const state = running.writer.state()
    const { toolName, toolInput: asked, inputHash: askedHash } = requireOpenApproval(state, approvalId)
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
    async decideApproval(approvalId, decision, by) {
      const sessionId = await store.findAsk(approvalId)
      if (sessionId === null) throw new QuarterdeckError('approval.not-found', `there is no approval ${approvalId}`)
      const running = await coordinator.open(sessionId)
      const { input = null, note = null } = decision
      const isJudged = decision.decision !== 'deny' || input !== null
      const inputHash = isJudged ? await judgeAllowed(running, approvalId, input) : {}
      const events = await handOverAnswer(running, {
        waiters: running.approvals,
        id: approvalId,
        answer: approvalAnswer(decision, by),
        command: (reception) => ({
          type: 'approval.decide',
          approvalId,
          decision: decision.decision,
          input,
          ...inputHash,
          ...(decision.rule === undefined ? {} : { rule: decision.rule }),
          note,
          by,
          ...reception,
          wakeMessageId: newMessageId(),
        }),
        unreported(before, written) {
          const request = before.approvals.find((open) => open.approvalId === approvalId)
          const decided = written.find((event) => event.type === 'ApprovalDecided')
          return request && decided && unreportedDecision(request, decided.data)
        },
      })
      const isReceived = events.some((event) => event.type === 'ApprovalDecided' && event.data.wasLive)
      // A denial carries its note. An allowed call cannot, so its note follows as a message into the turn.
      if (isReceived && note !== null && decision.decision !== 'deny') {
        const message = { content: note, delivery: 'immediate', seed: approvalId } as const
        return (await context.queue(running, message, by)).reply
      }
      coordinator.kick(running)
      return applied(running, events)
    },

    async answerQuestion(questionId, body, by) {
      const sessionId = await store.findAsk(questionId)
      if (sessionId === null) throw new QuarterdeckError('question.not-found', `there is no question ${questionId}`)
      const { answers, note = null } = AnswerQuestionBody.parse(body)
      const running = await coordinator.open(sessionId)
      const events = await handOverAnswer(running, {
        waiters: running.questions,
        id: questionId,
        answer: questionReply(answers, note, by),
        command: (reception) => ({
          type: 'question.answer',
          questionId,
          answers,
          note,
          by,
          ...reception,
          wakeMessageId: newMessageId(),
        }),
        unreported(before, written) {
          const question = before.questions.find((open) => open.questionId === questionId)
          const answered = written.find((event) => event.type === 'QuestionAnswered')
          return question && answered && unreportedAnswer(question, answered.data)
        },
      })
      coordinator.kick(running)
      return applied(running, events)
    },

    async revokeRule(sessionId, rule, by) {
      const { running, events } = await apply(sessionId, { type: 'rule.revoke', rule, by })
      return applied(running, events)
    },
  }
}

// The waiting process gets the answer as the person gave it: the logged one has its secrets removed.

/** `null` as input: the process still has its own input, complete with secrets. */
function approvalAnswer({ decision, input, note }: DecideApprovalBody, by: string): ApprovalAnswer {
  if (decision !== 'deny') return { type: 'allow', input: input ?? null }
  return { type: 'deny', message: `Denied by ${by}.${note === undefined ? '' : ` ${note}`}` }
}

function questionReply(answers: JsonObject | null, note: string | null, by: string): QuestionReply {
  if (answers !== null) return { type: 'answered', answers, note }
  return { type: 'declined', message: `${by} declined to answer.${note === null ? '' : ` ${note}`}` }
}
