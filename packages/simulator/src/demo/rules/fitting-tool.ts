// Calls a tool of the agent file that fits the request, with arguments from the sentence; the next request brings its
// result. Three rules: for a tool that is clearly meant, for a question that no other rule answers, and for a tool that
// the request names.
import type { ToolParam } from '@quarterdeck/model'
import { asJsonObject, isRecord, type JsonObject, parseJson } from '@quarterdeck/protocol'
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

const fits = ({ prompt, offered, endsWithPrompt }: SimulatedConversation) =>
  endsWithPrompt ? fittingTools(prompt, offered.values()) : []

function call({ name, input_schema: schema }: ToolParam, { prompt }: SimulatedConversation): Reply {
  const input = fillSchema(schema, { prompt, answer: null })
  const record = asJsonObject(input)
  return callTools(`I use ${name.split('__').at(-1)}.`, { name, input: record })
}

/**
 * "use <tool>" for any offered tool, MCP and client tools included: with the given JSON, or with values that match its
 * schema.
 */
export const namedTool: DemoRule = {
  name: 'named-tool',
  reply({ offered, prompt }) {
    const wanted = /\b(?:use|call|try|invoke)\s+(?:the\s+)?(?:tool\s+)?[`"']?([\w-]+)[`"']?/i.exec(prompt)?.[1]
    if (!wanted) return null
    const name = [...offered.keys()].find((each) => each === wanted || each.endsWith(`__${wanted}`))
    if (!name) return null
    const given = jsonIn(prompt)
    const input = given ?? fillSchema(offered.get(name)?.input_schema, { prompt, answer: null })
    const record = asJsonObject(input)
    return callTools(`I call ${name}.`, { name, input: record })
  },
}

/** `null` without JSON in the sentence: the schema decides then. */
function jsonIn(text: string): JsonObject | null {
  const value = parseJson(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
  return isRecord(value) ? value : null
}
