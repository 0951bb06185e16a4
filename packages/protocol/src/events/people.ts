import { z } from 'zod'
import { ApprovalId } from '../ids.ts'
import { JsonObject } from '../json.ts'
import { EffectClass, PermissionRule } from '../permissions.ts'
import { eventOf } from './envelope.ts'

export const ApprovalDecision = z.enum(['allow', 'allow_session', 'deny'])
export type ApprovalDecision = z.infer<typeof ApprovalDecision>

export const ApprovalRequested = eventOf('ApprovalRequested', {
  approvalId: ApprovalId,
  toolName: z.string(),
  toolUseId: z.string(),
  toolInput: JsonObject,
  effects: z.array(EffectClass),
  /** Why it is asked: the mode or rule that matched, in words. */
  rule: z.string(),
  /** What "allow for this session" would add, shown on the button. */
  sessionRule: PermissionRule,
  expiresAt: z.iso.datetime().nullable(),
  /** Set when the agent re-issued an approved call with another input: both are shown. */
  insteadOf: z.object({ approvalId: ApprovalId, toolInput: JsonObject }).nullable(),
})

export const ApprovalDecided = eventOf('ApprovalDecided', {
  approvalId: ApprovalId,
  decision: ApprovalDecision,
  /** The input that will run; `null` on a denial. */
  toolInput: JsonObject.nullable(),
  edited: z.boolean(),
  note: z.string().nullable(),
  by: z.string(),
  rule: PermissionRule.nullable(),
  /** False when no process was waiting: the call is asked for again and let through once. */
  wasLive: z.boolean(),
})

export const ApprovalExpired = eventOf('ApprovalExpired', { approvalId: ApprovalId })

/** A re-issued call waits for this question, which an earlier turn left open: from here on the answer is for that turn. */
export const ApprovalTakenUp = eventOf('ApprovalTakenUp', { approvalId: ApprovalId })

/** The agent never re-issued a call that was approved after its process had gone. */
export const ApprovalUnused = eventOf('ApprovalUnused', { approvalId: ApprovalId })

/** A grant was used up by the re-issued call: it can never let a second one through. */
export const ApprovalUsed = eventOf('ApprovalUsed', { approvalId: ApprovalId, toolUseId: z.string() })
