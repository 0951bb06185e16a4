// The catalog in the form of this wire. Models that the original server knew keep their names there: clients store
// these names and look them up in the list.
import type { SessionService } from '@quarterdeck/engine'
import {
  autoLabel,
  autoModel,
  findModel,
  type JsonObject,
  type ModelSummary,
  ModelTier,
  QuarterdeckError,
} from '@quarterdeck/protocol'
import type { WireDeps } from '../wire.ts'

const firstNames = ['claude-sonnet-4-5-20250929', 'claude-opus-4-20250514', 'claude-haiku-4-5-20250925']

const nameOf = (modelId: string): string => firstNames.find((name) => findModel(name)?.id === modelId) ?? modelId

/** One entry of `GET /models`. */
export function chatModel({ id, label, available, reason }: ModelSummary, provider: string) {
  return { id: nameOf(id), name: label, provider, available, ...(reason === null ? {} : { reason }) }
}

/** The model of a client in `connected` and `model_changed`. */
export function modelInfo(model: string, label: string): JsonObject {
  const isAutomatic = model === autoModel
  return { model: isAutomatic ? 'automatic' : nameOf(model), model_display: label, is_automatic: isAutomatic }
}

export const labelOf = (model: string, models: readonly ModelSummary[]): string =>
  model === autoModel ? autoLabel : (models.find(({ id }) => id === model)?.label ?? model)

export interface ChoiceContext {
  readonly agent: string
  readonly sessions: SessionService
}

/** The catalog id of a requested model, by any of its names in the list. Throws `model.unknown`. */
export async function chooseModel(deps: WireDeps, choice: ChoiceContext, asked: string): Promise<string> {
  const models = await deps.models(choice)
  const catalog = await deps.agents.catalog(choice.agent)
  const id = ModelTier.safeParse(asked).success ? undefined : (findModel(asked, catalog)?.id ?? asked)
  const model = models.find((one) => one.id === id)
  if (model === undefined) {
    const names = models.map((one) => nameOf(one.id)).join(', ')
    throw new QuarterdeckError('model.unknown', `${JSON.stringify(asked.slice(0, 200))} is not one of ${names}`)
  }
  if (!model.available) {
    throw new QuarterdeckError(
      'model.unknown',
      `${model.label} is not available: ${model.reason ?? 'choose another from GET /models'}`,
    )
  }
  return model.id
}
