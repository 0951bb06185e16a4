import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import type { Imports } from '../features/data-import/imports.ts'
import { openSample } from '../features/data-import/open-sample.ts'
import { SampleList } from '../features/data-import/sample-list.tsx'
import type { Action } from '../hooks/use-action.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useWorkspace } from '../hooks/use-workspace.ts'
import { Button } from '../ui/button.tsx'
import { ErrorCard } from '../ui/error-card.tsx'

interface DataSamplesProps {
  readonly imports: Imports
  readonly isShown: boolean
  readonly begin: Action
}

/** The sets of sample tables; one that the address names is opened at once. */
export function DataSamples({ imports, isShown, begin }: DataSamplesProps) {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const { sample: wanted } = useSearch({ from: '/data' })
  const { value, failure } = useLoaded(useCallback(() => import('../analysis/samples/samples.ts'), []))

  const open = (place: number) =>
    void begin.run(async () => {
      const sample = value?.samples[place]
      if (sample === undefined) throw new Error('There is no such sample.')
      const analysisId = await openSample(workspace, imports, sample)
      await navigate({ to: '/data/$analysisId', params: { analysisId }, replace: wanted !== undefined })
    })

  // The card of the first page leads here, with the sample it promised.
  const isOpened = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as the samples are there
  useEffect(() => {
    if (wanted === undefined || value === null || isOpened.current) return
    isOpened.current = true
    open(wanted)
  }, [wanted, value])

  if (failure !== null && (isShown || wanted !== undefined)) {
    return (
      <ErrorCard what="The samples did not come" detail={failure.message}>
        {/* A part of the page that did not come once is not asked for again before the page is. */}
        <Button look={['s']} onClick={() => location.reload()}>
          Load the page again
        </Button>
      </ErrorCard>
    )
  }
  if (!isShown || value === null) return null
  return <SampleList samples={value.samples} disabled={begin.isBusy} onOpen={open} />
}
