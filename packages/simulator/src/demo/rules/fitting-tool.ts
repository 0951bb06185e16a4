// Calls a tool of the agent file that fits the request, with arguments from the sentence; the next request brings its
// result. Two rules: one for a tool that is clearly meant, and one for a question that no other rule answers.

import type { ToolParam } from '@quarterdeck/model'
import { asJsonObject } from '@quarterdeck/protocol'
import type { SimulatedConversation } from '../../replies/read-conversation.ts'
import { callTools, type Reply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'
import { fillSchema } from '../tool-input/fill-schema.ts'
import { fittingTools, sureScore } from '../tool-input/tool-fit.ts'

export const plainlyMeantTool: DemoRule = {
  name: 'fitting-tool',
  reply(conversation) {
    const [best] = fits(conversation)
    return best !== undefined && best.score >= sureScore ? call(best.tool, conversation) : null
  },
}

export const searchForAnswer: DemoRule = {
  name: 'search-for-answer',
  reply(conversation) {
    if (conversation.prompt.split(/\s+/).length < 3) return null
    const search = fits(conversation).find(({ isSearch }) => isSearch)
    return search ? call(search.tool, conversation) : null
  },
}

function fits({ prompt, offered, endsWithPrompt }: SimulatedConversation) {
  return endsWithPrompt ? fittingTools(prompt, offered.values()) : []
}

function call({ name, input_schema: schema }: ToolParam, { prompt }: SimulatedConversation): Reply {
  const input = fillSchema(schema, { prompt, answer: null })
  const record = asJsonObject(input)
  return callTools(`I use ${name.split('__').at(-1)}.`, { name, input: record })
}
