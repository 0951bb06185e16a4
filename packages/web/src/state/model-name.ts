import { findModel, type SessionState } from '@quarterdeck/protocol'

/** The simulator says that it is not a model, and which one it stands in for. */
export const modelName = ({ model, modelSource }: Pick<SessionState, 'model' | 'modelSource'>): string =>
  modelSource === 'simulator' ? `simulator (as ${model})` : (findModel(model)?.label ?? model)
