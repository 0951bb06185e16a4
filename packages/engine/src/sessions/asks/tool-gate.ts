// Decides on the tool calls of one session: rules first, then a one-time grant, then a person.
import { draft, isQuarterdeckError, type JsonObject, type UnreportedDecision } from '@quarterdeck/protocol'
import type { ToolGate, ToolVerdict } from '../../backends/backend.ts'
import { type CallHash, createIsThisCall } from '../../permissions/calls/call-hash.ts'
import { nearestCall } from '../../permissions/calls/nearest-call.ts'
import {
  agentFileRuleFor,
  noPersonToAskAgainSentence,
  noPersonToAskSentence,
  type PermissionAnswer,
  type PermissionCheck,
} from '../../permissions/permission-check.ts'
import { canonicalToolName } from '../../permissions/tools/available-tools.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { ToolCall } from '../../ports/tool-call.ts'
import type { Redactor } from '../../redaction/redact.ts'
import { stoppedCall } from '../rules/ask-kinds/approval.ts'
import type { ApprovalReply } from '../rules/ask-kinds/ask-strategy.ts'
import type { AskedIn } from '../state/ask-waiters.ts'
import type { SubagentBound } from '../state/subagent-bound.ts'
import { type AskerOptions, createAsker } from './asker.ts'
import type { ToolTrust } from './tool-trust.ts'

export interface ToolGateOptions extends AskerOptions {
  readonly permissions: PermissionCheck
  readonly trust: ToolTrust
  readonly canAsk: boolean
  readonly onUnattended: (call: UnattendedCall) => void
  readonly expiresAfterMs: number | null
  readonly subagents: SubagentBound
  readonly redactor: Redactor
  readonly hashCall: CallHash
  readonly ids: Ids
  readonly logger: Logger
}

/** A call that needed an approval where there was no person to ask. */
export interface UnattendedCall extends Pick<ToolCall, 'toolName' | 'toolInput' | 'toolUseId'> {
  /** The line of the agent file that would allow it. */
  readonly allowedBy: string
}

type ApprovalQuestion = Extract<PermissionAnswer, { type: 'ask' }> & {
  /** How the tool has changed, if a rule would otherwise allow the call. */
  readonly change?: string
}
type Judged = Exclude<PermissionAnswer, { type: 'ask' }> | ApprovalQuestion

export function createToolGate(options: ToolGateOptions): ToolGate {
  const { writer, waiters, permissions, trust, subagents, logger } = options
  const asker = createAsker(options)
  const isThisCall = createIsThisCall(options)

  const judge = async (call: ToolCall): Promise<Judged> => {
    const { permissionMode, rules } = writer.state()
    const answer = await permissions.check(call, { mode: permissionMode, sessionRules: rules })
    if (answer.type !== 'allow' || answer.isByRule !== true) return answer
    const change = await trust.changeOf(canonicalToolName(call.toolName))
    return change === null ? answer : { ...permissions.askAnyway(call, change), change }
  }

  function denyUnattended(call: ToolCall, { change, sessionRule }: ApprovalQuestion): ToolVerdict {
    const { toolName, toolInput, toolUseId } = call
    options.onUnattended({ toolName, toolInput, toolUseId, allowedBy: agentFileRuleFor(call, sessionRule) })
    const message =
      change === undefined ? noPersonToAskSentence(call, sessionRule) : noPersonToAskAgainSentence(toolName, change)
    return { type: 'deny', message }
  }

  async function check(call: ToolCall): Promise<ToolVerdict | { readonly type: 'ask' }> {
    const verdict = await judge(call)
    if (verdict.type === 'deny') return verdict
    if (!subagents.admits(call)) return subagents.refusal
    // An allowed call uses up its grant too: "allow for this session" adds both a rule and a grant.
    const isGranted = await useGrant(call)
    if (verdict.type === 'allow') return verdict
    if (isGranted) return { type: 'allow', input: verdict.input }
    if (options.canAsk) return { type: 'ask' }
    return denyUnattended(call, verdict)
  }

  /** True if an approval that was given without a process covers exactly this call. */
  async function useGrant(call: ToolCall): Promise<boolean> {
    const grant = writer.state().grants.find((granted) => isThisCall(granted, call))
    if (grant === undefined) return false
    try {
      await writer.apply({ type: 'approval.use', approvalId: grant.approvalId, toolUseId: call.toolUseId })
      waiters.markReceived(call.toolUseId, { type: 'decision', isAllowed: true, ...grant, note: null })
      return true
    } catch (error) {
      // A parallel call with the same input was faster: one approval lets one call through.
      if (isQuarterdeckError(error, 'approval.already-decided')) return false
      throw error
    }
  }

  async function ask(call: ToolCall, signal: AbortSignal, because?: string): Promise<ToolVerdict> {
    const judged = await judge(call)
    const verdict = judged.type === 'allow' && because !== undefined ? permissions.askAnyway(call, because) : judged
    if (verdict.type !== 'ask') return verdict
    if (!options.canAsk) return denyUnattended(call, verdict)
    const asked = { signal, toolUseId: call.toolUseId }
    const earlier = writer.state().approvals.find((open) => asker.isLeftOpen(open) && isThisCall(open, call))
    const answer = await (earlier === undefined
      ? request(call, verdict, asked)
      : asker.takeUp(earlier.approvalId, asked, (decided) => useDecision(call, decided)))
    const decided = answer.type === 'deny' ? answer : await recheck(call, answer.input ?? call.toolInput)
    if (decided.type === 'deny') waiters.markUsed(call.toolUseId)
    else if (!waiters.mayUse(call.toolUseId, signal)) return stoppedCall
    return decided
  }

  async function useDecision(call: ToolCall, { isAllowed }: UnreportedDecision): Promise<ApprovalReply> {
    if (isAllowed && (await useGrant(call))) return { type: 'allow', input: null }
    return { type: 'deny', message: `${call.toolName} was decided just now: the decision follows as a message.` }
  }

  /** Even an approved call must pass the rules that no approval can lift, as they are now. */
  async function recheck(call: ToolCall, input: JsonObject): Promise<ToolVerdict> {
    const verdict = await judge({ ...call, toolInput: input })
    return verdict.type === 'deny' ? verdict : { type: 'allow', input: verdict.input }
  }

  async function request(call: ToolCall, question: ApprovalQuestion, askedIn: AskedIn): Promise<ApprovalReply> {
    const approvalId = options.ids.next('apr')
    const { agent, ...wanted } = call
    const { expiresAfterMs } = options
    const deviated = nearestGrant({ ...call, toolInput: options.redactor.value(call.toolInput) })
    // A person approves the tool as it was when they were asked, even if it changes before they answer.
    const trustAsAsked = trust.snapshot(canonicalToolName(call.toolName))
    const asked = {
      approvalId,
      ...wanted,
      inputHash: options.hashCall(call),
      effects: [...question.effects],
      rule: question.rule,
      sessionRule: question.sessionRule,
      ...(question.widerRules.length === 0 ? {} : { widerRules: [...question.widerRules] }),
      expiresAt: expiresAfterMs === null ? null : asker.timeIn(expiresAfterMs),
      insteadOf: deviated === null ? null : { approvalId: deviated.approvalId, toolInput: deviated.toolInput },
    }
    const given = await asker.request(approvalId, draft('ApprovalRequested', asked, { agent }), askedIn)
    if (given.type === 'allow') await trustAsAsked()
    return given
  }

  /** The approved and unissued call that this one most likely stands for. The person sees both. */
  const nearestGrant = (call: ToolCall) =>
    nearestCall(
      writer.state().grants.filter(({ toolName }) => canonicalToolName(toolName) === canonicalToolName(call.toolName)),
      call,
    )

  /** A failure here must never let a call run. */
  const closed = async <Result>(call: ToolCall, work: () => Promise<Result>): Promise<Result | ToolVerdict> => {
    try {
      return await work()
    } catch (error) {
      // The call arrived after its turn had ended.
      if (isQuarterdeckError(error, 'session.not-running')) return stoppedCall
      logger.error(
        { sessionId: writer.sessionId, toolName: call.toolName, error: String(error) },
        'the tool gate failed',
      )
      return { type: 'deny', message: `${call.toolName} was not run: the permission check failed.` }
    }
  }

  return {
    check: (call) => closed(call, () => check(call)),
    ask: (call, signal, because) => closed(call, () => ask(call, signal, because)),
  }
}
