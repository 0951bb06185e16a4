import { autoModel, modelLabel, type SessionState } from '@quarterdeck/protocol'

type Modelled = Pick<SessionState, 'model' | 'lastModel' | 'modelSource'>

/** What a session runs on: where the rules choose, what they chose last. */
export function sessionModel({ model, lastModel, modelSource }: Modelled): string {
  if (model !== autoModel) return modelLabel({ model, modelSource })
  if (lastModel === null) return modelSource === 'simulator' ? 'automatic selection, simulator' : 'automatic selection'
  return `automatic, last ${modelLabel({ model: lastModel, modelSource })}`
}
