import type { SessionState } from '@quarterdeck/protocol'

/** The simulator never passes for the model it stands in for. */
export const modelLabel = ({ model, modelSource }: Pick<SessionState, 'model' | 'modelSource'>): string =>
  modelSource === 'simulator' ? `simulator (as ${model})` : model
