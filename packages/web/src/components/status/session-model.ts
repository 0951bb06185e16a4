import { autoModel, modelLabel, type NamedModel, type SessionState } from '@quarterdeck/protocol'

type Modelled = Pick<SessionState, 'lastModel'> & NamedModel

/** The model of a session. For automatic selection, also the model chosen last. */
export function sessionModel({ model, lastModel, modelSource }: Modelled): string {
  if (model !== autoModel) return modelLabel({ model, modelSource })
  if (lastModel === null) return modelSource === 'simulator' ? 'automatic selection, simulator' : 'automatic selection'
  return `automatic, last ${modelLabel({ model: lastModel, modelSource })}`
}
