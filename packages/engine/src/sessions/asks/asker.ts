// Asks for one session: logs the ask and waits, unless the log already has the same ask or its answer.
import { type Ask, type AskId, askIdOf, type RequestAsk, type Unreported } from '@quarterdeck/protocol'
import type { Clock } from '../../ports/clock.ts'
import type { ReplyTo, ReportOn } from '../rules/ask-kinds/ask-strategy.ts'
import { type AskedIn, type AskWaiters, waitWhile } from '../state/ask-waiters.ts'
import type { SessionWriter } from '../state/session-writer.ts'

export interface AskerOptions {
  readonly writer: SessionWriter
  readonly waiters: AskWaiters
  readonly clock: Clock
}

type UseReport<Id extends AskId> = (report: ReportOn<Id>) => ReplyTo<Id> | Promise<ReplyTo<Id>>

export function createAsker({ writer, waiters, clock }: AskerOptions) {
  const used = new Set<AskId>()

  /** The answers that were given while no call waited for them, and that no call has used. */
  function reports(): readonly Unreported[] {
    const { kept, unreported } = writer.state()
    return [...kept, ...unreported].filter((report) => !used.has(askIdOf(report)))
  }

  return {
    reports,
    /** Each answer serves one call. */
    markUsed: (report: Unreported) => void used.add(askIdOf(report)),
    /** The same ask was made before a crash and is still open: one call can take it up. */
    isLeftOpen: (request: Ask['request']): boolean =>
      request.turnId !== writer.state().turn?.turnId && !waiters.isWaiting(askIdOf(request)),
    async request<Id extends AskId>(id: Id, asked: RequestAsk['asked'], call: AskedIn): Promise<ReplyTo<Id>> {
      const { answer } = await waitWhile(waiters, { id, ...call }, () => writer.apply({ type: 'ask.request', asked }))
      return answer
    },
    /** `useReport` continues with an answer that was logged just before the wait began: no other answer will arrive. */
    async takeUp<Id extends AskId>(id: Id, call: AskedIn, useReport: UseReport<Id>): Promise<ReplyTo<Id>> {
      const { answer, giveUp } = await waitWhile(waiters, { id, ...call }, () =>
        writer.apply({ type: 'ask.take-up', id, toolUseId: call.toolUseId }),
      )
      const report = reports().find((one): one is ReportOn<Id> => askIdOf(one) === id)
      if (report === undefined) return answer
      await giveUp()
      return useReport(report)
    },
    timeIn: (ms: number): string => new Date(clock.now().getTime() + ms).toISOString(),
  }
}
