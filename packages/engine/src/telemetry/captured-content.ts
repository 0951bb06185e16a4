// Message content in the format of the conventions. Only for agents whose file enables it; the text comes from the log,
// which contains no secrets.
import { type EventOfType, ellipsize, type JsonObject } from '@quarterdeck/protocol'

/** Maximum length of one text: a collector would refuse larger batches. */
const maxLength = 32_768

export const messageAttributes = (userMessages: readonly string[], answer: string) => ({
  ...(userMessages.length === 0
    ? {}
    : { 'gen_ai.input.messages': JSON.stringify(userMessages.map((text) => message('user', text))) }),
  ...(answer === '' ? {} : { 'gen_ai.output.messages': JSON.stringify([message('assistant', answer)]) }),
})

const message = (role: 'user' | 'assistant', text: string) => ({
  role,
  parts: [{ type: 'text', content: short(text) }],
})

export const resultAttributes = (input: JsonObject, executed: EventOfType<'ToolExecuted'>['data'] | undefined) => ({
  'gen_ai.tool.call.arguments': short(JSON.stringify(executed?.changedInput ?? input)),
  ...(executed === undefined ? {} : { 'gen_ai.tool.call.result': short(executed.output) }),
})

const short = (text: string): string => ellipsize(text, maxLength)
