// "use <tool>" for any tool on offer, MCP and client tools included: with the JSON given, or with values that fit its schema.
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
    const record = typeof input === 'object' && input !== null ? { ...input } : {}
    return callTools(`I call ${name}.`, { name, input: record })
  },
}

function jsonIn(text: string): object | null {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    // No JSON in the sentence: the schema decides.
    return null
  }
}
