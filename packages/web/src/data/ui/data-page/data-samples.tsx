import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import type { Action } from '../../../hooks/use-action.ts'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import type { DataServices } from '../../domain/data-services.ts'
import type { Sample } from '../../samples/samples.ts'
import { saveDraft } from '../../storage/analysis-drafts.ts'
import { fingerprintOf } from '../../storage/fingerprint.ts'
import { SmallButton } from '../controls/small-button.tsx'
import type { Imports } from '../import/state/imports.ts'
import { useDataServices } from '../use-data-services.ts'

interface DataSamplesProps {
  readonly imports: Imports
  readonly isShown: boolean
  readonly begin: Action
}

/** Generated tables for trying Data with one click. A sample named in the address is opened at once. */
export function DataSamples({ imports, isShown, begin }: DataSamplesProps) {
  const services = useDataServices()
  const navigate = useNavigate()
  const { sample: wanted } = useSearch({ from: '/data' })
  const { value, failure } = useLoaded(useCallback(() => import('../../samples/samples.ts'), []))

  const open = (index: number) =>
    void begin.run(async () => {
      const sample = value?.samples[index]
      if (sample === undefined) throw new Error('This sample does not exist.')
      const analysisId = await openSample(services, imports, sample)
      await navigate({ to: '/data/$analysisId', params: { analysisId }, replace: wanted !== undefined })
    })

  // The card of the first page links here with its sample.
  const isOpened = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the samples are loaded
  useEffect(() => {
    if (wanted === undefined || value === null || isOpened.current) return
    isOpened.current = true
    open(wanted)
  }, [wanted, value])

  if (failure !== null && (isShown || wanted !== undefined)) {
    return (
      <ErrorCard what="The samples could not be loaded" detail={failure.message}>
        {/* A module that failed to load is only requested again after a page reload. */}
        <SmallButton onClick={() => location.reload()}>Reload the page</SmallButton>
      </ErrorCard>
    )
  }
  if (!isShown || value === null) return null
  return (
    <section aria-labelledby="samples">
      <h2 id="samples" className="group">
        Or try a sample
      </h2>
      <ul className="data-rows">
        {value.samples.map(({ title, sentence }, index) => (
          <li key={title} className="row data-row">
            <div className="grow">
              <b>{title}</b>
              <small className="facts-row caption">{sentence}</small>
            </div>
            <SmallButton disabled={begin.isBusy} aria-label={`Open the sample ${title}`} onClick={() => open(index)}>
              Open
            </SmallButton>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Adds the tables, creates an analysis, and fills in the first question. Returns the analysis id. */
async function openSample(services: DataServices, imports: Imports, sample: Sample): Promise<string> {
  for (const file of sample.files) {
    const fingerprint = await fingerprintOf(await file.bytes())
    const { tables: before } = services.tables.getSnapshot()
    if (before?.some(({ source }) => source.fingerprint === fingerprint)) continue
    await imports.addAsFound(file)
  }
  const id = await services.createAnalysis()
  saveDraft(id, sample.questions[0] ?? '')
  return id
}
