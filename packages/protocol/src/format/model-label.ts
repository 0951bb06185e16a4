import type { ModelSource } from '../agents/agent-definition.ts'

export interface NamedModel {
  readonly model: string
  /** `null` where it is not known yet. */
  readonly modelSource: ModelSource | null
}

/** The id as one writes it in an agent file. The simulator never passes for the model it stands in for. */
export const modelLabel = ({ model, modelSource }: NamedModel): string =>
  modelSource === 'simulator' ? `simulator (as ${model})` : model
