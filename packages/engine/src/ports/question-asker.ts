import type { AgentPath, JsonObject, QuestionItem } from '@quarterdeck/protocol'

/** A question of an agent (AskUserQuestion) or of an MCP server (elicitation) to a person. */
export interface AskedQuestion {
  readonly source: 'agent' | 'mcp'
  readonly server: string | null
  readonly toolUseId: string | null
  readonly agent: AgentPath
  readonly message: string
  readonly items: readonly QuestionItem[]
  readonly schema: JsonObject | null
  readonly url: string | null
}

export type QuestionReply =
  | { readonly type: 'answered'; readonly answers: JsonObject; readonly note: string | null }
  | { readonly type: 'declined'; readonly message: string }

/** Never rejects: a failure inside is a `declined` reply with a message for the model. */
export interface QuestionAsker {
  /** Resolves when a person has answered, or as `declined` when the signal aborts. May take days. */
  ask(question: AskedQuestion, signal: AbortSignal): Promise<QuestionReply>
}
