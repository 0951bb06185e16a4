// A server that begins finds analyses that an earlier one has left in the middle: those are attended to like new ones.
import { analysisTag, underWay } from './analysis-session.ts'
import { type Attendants, type AttendantsOptions, createAttendants } from './attend-analysis.ts'
import { persist } from './persist.ts'

export function openAttendants(options: AttendantsOptions): Attendants {
  const { closing, background, logger } = options
  const attendants = createAttendants(options)
  const onFailure = (error: unknown) => logger.error({ error }, 'open analyses could not be looked for')
  background.track(persist(() => attendOpenAnalyses(attendants, options), { signal: closing, onFailure }))
  return attendants
}

async function attendOpenAnalyses(attendants: Attendants, options: AttendantsOptions): Promise<void> {
  const { sessions, closing } = options
  for (const status of underWay) {
    for (let cursor: string | null | undefined; cursor !== null && !closing.aborted; ) {
      const asked = { tag: analysisTag, status, archived: 'all', limit: 200 } as const
      const page = await sessions.list({ ...asked, ...(cursor === undefined ? {} : { cursor }) })
      for (const { sessionId } of page.sessions) attendants.attend(sessionId)
      cursor = page.nextCursor
    }
  }
}
