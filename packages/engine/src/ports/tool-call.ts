import type { AgentPath, InputImage, JsonObject } from '@quarterdeck/protocol'

export interface ToolCall {
  readonly toolName: string
  readonly toolInput: JsonObject
  readonly toolUseId: string
  readonly agent: AgentPath
}

export interface ToolOutput {
  readonly output: string
  readonly isError: boolean
  readonly images?: readonly InputImage[]
}
