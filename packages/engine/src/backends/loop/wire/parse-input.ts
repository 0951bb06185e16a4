import type { CallPart } from '../conversation/entry.ts'

export interface StreamedCall {
  readonly toolUseId: string
  readonly toolName: string
  /** The arguments as they came, piece by piece. */
  readonly json: string
}

/** A call as the model wrote it. No arguments at all are an empty object; what is no object is kept to be told of. */
export function callPart({ toolUseId, toolName, json }: StreamedCall): CallPart {
  const call = { type: 'call', toolUseId, toolName } as const
  if (json.trim() === '') return { ...call, toolInput: {}, unreadable: null }
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { ...call, toolInput: { ...value }, unreadable: null }
    }
  } catch {
    // Told to the model as the result of its call.
  }
  return { ...call, toolInput: {}, unreadable: json }
}
