// "use <tool>" for any offered tool, MCP and client tools included: with the given JSON, or with values that match its
// schema.
import { asJsonObject, isRecord, type JsonObject, parseJson } from '@quarterdeck/protocol'
import { callTools } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'
import { fillSchema } from '../tool-input/fill-schema.ts'

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
