import type { ApprovalId, UserMessageId } from '@quarterdeck/protocol'
import type { Clock, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { LiveSession } from './live-session.ts'

export interface ApprovalExpiryOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
}

/** Lets a question lapse when nobody answered it in time; a process that waits for it hears a denial. */
export function createApprovalExpiry({ clock, ids, logger }: ApprovalExpiryOptions) {
  async function expire(live: LiveSession, approvalId: ApprovalId): Promise<void> {
    if (!live.writer.state().approvals.some((open) => open.approvalId === approvalId)) return
    try {
      const wakeMessageId = ids.next('umsg') as UserMessageId // ids are made here, so the brand is too
      await live.writer.apply({ type: 'approval.expire', approvalId, wakeMessageId })
      live.waiters.answer(approvalId, { type: 'deny', message: 'Nobody answered in time.' })
    } catch (error) {
      logger.warn({ approvalId, error }, 'approval could not expire')
    }
  }

  return {
    watch(live: LiveSession, approvalId: ApprovalId, expiresAt: string | null): void {
      if (expiresAt === null) return
      const leftMs = Math.max(0, Date.parse(expiresAt) - clock.now().getTime())
      setTimeout(() => void expire(live, approvalId), leftMs).unref()
    },
  }
}
