import { autoModel, type ModelSummary, type SessionState } from '@quarterdeck/protocol'
import { useCallback, useId } from 'react'
import { OptionRow } from '../../../components/controls/option-row.tsx'
import { shortCount } from '../../../components/format/short-count.ts'
import { Loading } from '../../../components/status/loading.tsx'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'

interface ModelFieldProps {
  readonly session: SessionState
  readonly model: string
  readonly onChange: (model: string) => void
}

/** The models of the catalog with their prices. Unavailable models are listed with the reason. */
export function ModelField({ session, model, onChange }: ModelFieldProps) {
  const { client } = useWorkbench()
  const { value, failure } = useLoaded(
    useCallback(() => client.listModels({ agent: session.agentName }), [client, session.agentName]),
  )
  const name = useId()
  const models = value?.models ?? []
  const isKnown = models.some(({ id }) => id === session.model)
  return (
    <fieldset className="options models">
      <legend className="label">Model</legend>
      {value === null && failure === null && <Loading what="Loading the models" />}
      {failure !== null && <p className="problem">The models could not be loaded: {failure.message}</p>}
      {value !== null && !isKnown && (
        <OptionRow type="radio" name={name} checked={model === session.model} onChange={() => onChange(session.model)}>
          {session.model}
        </OptionRow>
      )}
      {models.map((one) => (
        <OptionRow
          key={one.id}
          type="radio"
          name={name}
          checked={one.id === model}
          disabled={!one.available}
          onChange={() => onChange(one.id)}
        >
          <span className="model-name">
            <b>{one.label}</b>
            <small>{one.available ? purposeOf(one, session) : (one.reason ?? 'not available here')}</small>
          </span>
          <small className="num">{priceLabel(one)}</small>
        </OptionRow>
      ))}
    </fieldset>
  )
}

function purposeOf({ id, use }: ModelSummary, { model, lastModel }: SessionState): string {
  if (id !== autoModel || model !== autoModel || lastModel === null) return use
  return `${use} The last turn ran on ${lastModel}.`
}

function priceLabel({ multiplier, price, contextWindow }: ModelSummary): string {
  const parts = [
    ...(multiplier === null ? [] : [`cost ×${multiplier}`]),
    ...(price === null ? [] : [`$${price.input} in, $${price.output} out`]),
    `${shortCount(contextWindow)} context`,
  ]
  return parts.join(' · ')
}
