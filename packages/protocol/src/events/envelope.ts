import { z } from 'zod'
import { EventId, SessionId, TurnId } from '../values/ids.ts'

/** `null` for the lead agent, otherwise the path of tool-use ids to the subagent. Any depth. */
export const AgentPath = z.array(z.string()).min(1).nullable()
export type AgentPath = z.infer<typeof AgentPath>

const envelope = {
  /** Counts from 1 without gaps, per session. */
  seq: z.int().positive(),
  id: EventId,
  sessionId: SessionId,
  at: z.iso.datetime(),
  agent: AgentPath,
  turnId: TurnId.optional(),
  v: z.literal(1),
}

/** An event of one type: the envelope around its payload. */
export const eventOf = <Type extends string, Data extends z.ZodRawShape>(type: Type, data: Data) =>
  z.object({ ...envelope, type: z.literal(type), data: z.object(data) })
