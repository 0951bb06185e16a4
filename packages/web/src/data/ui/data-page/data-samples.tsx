import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import type { Action } from '../../../hooks/use-action.ts'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import type { Imports } from '../import/state/imports.ts'
import { useDataServices } from '../use-data-services.ts'
import { openSample } from './open-sample.ts'
import { SampleList } from './sample-list.tsx'

interface DataSamplesProps {
  readonly imports: Imports
  readonly isShown: boolean
  readonly begin: Action
}

/** The sets of sample tables; one that the address names is opened at once. */
export function DataSamples({ imports, isShown, begin }: DataSamplesProps) {
  const services = useDataServices()
  const navigate = useNavigate()
  const { sample: wanted } = useSearch({ from: '/data' })
  const { value, failure } = useLoaded(useCallback(() => import('../../samples/samples.ts'), []))

  const open = (index: number) =>
    void begin.run(async () => {
      const sample = value?.samples[index]
      if (sample === undefined) throw new Error('There is no such sample.')
      const analysisId = await openSample(services, imports, sample)
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
        <Button variant={['s']} onClick={() => location.reload()}>
          Load the page again
        </Button>
      </ErrorCard>
    )
  }
  if (!isShown || value === null) return null
  return <SampleList samples={value.samples} disabled={begin.isBusy} onOpen={open} />
}
