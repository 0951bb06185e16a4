import type { QuarterdeckError } from '@quarterdeck/protocol'
import { useEffect, useState } from 'react'
import type { OpenAnalysis, Workspace } from '../analysis/workspace.ts'
import { failureOf } from '../state/failure.ts'

export type OpenedAnalysis =
  | { readonly status: 'opening' }
  | { readonly status: 'there'; readonly open: OpenAnalysis }
  | { readonly status: 'missing' }
  | { readonly status: 'failed'; readonly failure: QuarterdeckError }

/** Opens an analysis for as long as the page shows it. */
export function useOpenAnalysis(workspace: Workspace, id: string): OpenedAnalysis {
  const [opened, setOpened] = useState<OpenedAnalysis>({ status: 'opening' })
  useEffect(() => {
    let isLeft = false
    let open: OpenAnalysis | null = null
    // What keeps the engine from loading is in its store; the questions and answers can be read without it.
    workspace.start().catch(() => undefined)
    workspace.open(id).then(
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
  }, [workspace, id])
  return opened
}
