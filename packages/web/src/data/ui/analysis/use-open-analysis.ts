import type { QuarterdeckError } from '@quarterdeck/protocol'
import { useEffect, useState } from 'react'
import { failureOf } from '../../../stores/primitives/failure.ts'
import type { DataServices, OpenAnalysis } from '../../domain/data-services.ts'

export type AnalysisOpening =
  | { readonly status: 'opening' }
  | { readonly status: 'there'; readonly open: OpenAnalysis }
  | { readonly status: 'missing' }
  | { readonly status: 'failed'; readonly failure: QuarterdeckError }

/** Opens an analysis while the page shows it. */
export function useOpenAnalysis(services: DataServices, id: string): AnalysisOpening {
  const [opened, setOpened] = useState<AnalysisOpening>({ status: 'opening' })
  useEffect(() => {
    let isLeft = false
    let open: OpenAnalysis | null = null
    // Failures of the engine are in its store; questions and answers are readable without it.
    services.start().catch(() => undefined)
    services.open(id).then(
      (found) => {
        if (isLeft) return found?.close()
        open = found
        setOpened(found === null ? { status: 'missing' } : { status: 'there', open: found })
      },
      (error: unknown) => isLeft || setOpened({ status: 'failed', failure: failureOf(error) }),
    )
    return () => {
      isLeft = true
      open?.close()
      setOpened({ status: 'opening' })
    }
  }, [services, id])
  return opened
}
