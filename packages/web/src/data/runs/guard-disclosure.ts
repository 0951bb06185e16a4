// Data leaves the browser only under the disclosure terms it was prepared with, and only after it was recorded.
import { type AnalysisTool, type Client, createClient } from '@quarterdeck/client'
import { createRecordingFetch } from '../privacy/recording-fetch.ts'
import type { AnalysisServices } from './ports/analysis-services.ts'
import type { AnalysisRecorder } from './state/analysis-recorder.ts'
import { stepOfCall } from './state/fold-step.ts'
import { disclosureTerms } from './state/in-scope.ts'

export interface DisclosureGuardOptions extends AnalysisRecorder {
  readonly services: Pick<AnalysisServices, 'fetch' | 'tables' | 'whenTablesReady'>
}

type Tools = Readonly<Record<string, AnalysisTool>>

export function guardDisclosure({ services, analysis, record, save }: DisclosureGuardOptions): {
  readonly client: Client
  readonly guardTools: (tools: Tools) => Tools
} {
  const terms = () => disclosureTerms(analysis(), services.tables())

  const fetch = createRecordingFetch(services.fetch, {
    level: () => analysis().level,
    stepOf: (callId) => stepOfCall(analysis(), callId)?.n ?? null,
    kindOf: (callId) => stepOfCall(analysis(), callId)?.sent?.rowsKind,
    async onEntry(entry) {
      const before = terms()
      record({ type: 'sent', entry })
      await save()
      if (terms() === before) return
      record({ type: 'unsent', entry })
      throw new Error('the disclosure terms changed before this was sent')
    },
  })

  return {
    /**
     * Everything is in the saved log before it is sent. If the disclosure terms change meanwhile, the request fails as if
     * the server were unavailable, and its sender creates it again.
     */
    client: createClient({ baseUrl: '', fetch }),
    /**
     * A call from before a reload waits until its tables are restored. Its result is sent only under the disclosure terms
     * it was created with; under other terms the call runs again.
     */
    guardTools(tools) {
      const named = () => analysis().tables.map(({ name }) => name)
      return Object.fromEntries(
        Object.entries(tools).map(([name, run]) => [
          name,
          async (...[input, call]: Parameters<typeof run>) => {
            await services.whenTablesReady(named(), call.signal)
            const before = terms()
            call.onlyWhile(() => terms() === before)
            const earlier = stepOfCall(analysis(), call.id)
            if (earlier !== undefined) record({ type: 'step.sent', n: earlier.n, sent: null })
            return run(input, call)
          },
        ]),
      )
    },
  }
}
