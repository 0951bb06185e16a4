import { isRecord } from '@quarterdeck/protocol'
import type { Schema } from './field-maps.ts'

const smallest = 400

/** Writes maps that occur more than once only once: editors load the schema on every start. */
export function shareDefinitions(schema: Schema): Schema {
  const seen = new Map<string, number>()
  count(schema)
  const names = new Map<string, string>()
  const definitions: Record<string, unknown> = {}
  const whole = inner(schema, 'file')
  return { ...whole, $defs: definitions } as Schema // the same schema with keys in another order

  function count(node: unknown): void {
    if (!isSchemaPart(node)) return
    if (isLarge(node)) {
      const text = JSON.stringify(node)
      const times = seen.get(text) ?? 0
      seen.set(text, times + 1)
      // Maps inside it are shared with it.
      if (times > 0) return
    }
    for (const part of Object.values(node)) count(part)
  }

  function shared(node: unknown, name: string): unknown {
    if (!isSchemaPart(node)) return node
    if (!isLarge(node)) return inner(node, name)
    const text = JSON.stringify(node)
    if ((seen.get(text) ?? 0) < 2) return inner(node, name)
    const known = names.get(text) ?? newName(name)
    if (!names.has(text)) {
      names.set(text, known)
      definitions[known] = inner(node, name)
    }
    return { $ref: `#/$defs/${known}` }
  }

  function inner(node: object, name: string): Record<string, unknown> | unknown[] {
    if (Array.isArray(node)) return node.map((part) => shared(part, name))
    return Object.fromEntries(
      Object.entries(node).map(([key, part]) => [key, shared(part, keywords.has(key) ? name : key)]),
    )
  }

  function newName(wanted: string): string {
    const taken = new Set(names.values())
    let name = wanted
    for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`
    return name
  }
}

const keywords = new Set(['anyOf', 'items', 'properties', 'additionalProperties'])

const isSchemaPart = (node: unknown): node is object => typeof node === 'object' && node !== null

const isLarge = (node: object): boolean =>
  isRecord(node) && isRecord(node.properties) && JSON.stringify(node).length > smallest
