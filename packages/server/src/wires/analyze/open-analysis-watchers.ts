// A server that begins finds analyses that an earlier one has left in the middle: those are attended to like new ones.
import { activeStatuses, analysisTag } from './analysis-session.ts'
import { type AnalysisWatchers, type AnalysisWatchersOptions, createAnalysisWatchers } from './analysis-watchers.ts'
import { retryUntilDone } from './retry-until-done.ts'

export function openAnalysisWatchers(options: AnalysisWatchersOptions): AnalysisWatchers {
  const { closing, background, logger } = options
  const watchers = createAnalysisWatchers(options)
  const onFailure = (error: unknown) => logger.error({ error }, 'open analyses could not be looked for')
  background.track(retryUntilDone(() => watchOpenAnalyses(watchers, options), { signal: closing, onFailure }))
  return watchers
}

async function watchOpenAnalyses(watchers: AnalysisWatchers, options: AnalysisWatchersOptions): Promise<void> {
  const { sessions, closing } = options
  for (const status of activeStatuses) {
    for (let cursor: string | null | undefined; cursor !== null && !closing.aborted; ) {
      const asked = { tag: analysisTag, status, archived: 'all', limit: 200 } as const
      const page = await sessions.list({ ...asked, ...(cursor === undefined ? {} : { cursor }) })
      for (const { sessionId } of page.sessions) watchers.watch(sessionId)
      cursor = page.nextCursor
    }
  }
}
