import type { ModelSource } from '../agents/agent-definition.ts'

export interface NamedModel {
  readonly model: string
  /** `null` if it is not known yet. */
  readonly modelSource: ModelSource | null
}

/** The id as written in an agent file. The simulator is never shown as the model it simulates. */
export const modelLabel = ({ model, modelSource }: NamedModel): string =>
  modelSource === 'simulator' ? `simulator (as ${model})` : model
