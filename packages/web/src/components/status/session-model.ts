import { autoModel, modelLabel, type NamedModel, type SessionState } from '@quarterdeck/protocol'

type Modelled = Pick<SessionState, 'lastModel'> & NamedModel

/** What a session runs on, or would: where the rules choose, what they chose last. */
export function sessionModel({ model, lastModel, modelSource }: Modelled): string {
  if (model !== autoModel) return modelLabel({ model, modelSource })
  if (lastModel === null) return modelSource === 'simulator' ? 'automatic selection, simulator' : 'automatic selection'
  return `automatic, last ${modelLabel({ model: lastModel, modelSource })}`
}
