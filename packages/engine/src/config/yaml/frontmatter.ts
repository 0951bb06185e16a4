import { isRecord } from '@quarterdeck/protocol'
import { parseYaml } from './parse-yaml.ts'

export interface Frontmatter {
  /** Its text fields. */
  readonly fields: Readonly<Record<string, string>>
  /** The text after it. */
  readonly body: string
}

const block = /^\uFEFF?---[ \t]*\r?\n(?<yaml>[\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/

/** Splits the YAML between `---` lines from the text after it. */
export function frontmatterOf(text: string): Frontmatter {
  const found = block.exec(text)
  const value = found?.groups?.yaml === undefined ? undefined : parseYaml(found.groups.yaml)
  // Only a map is front matter; a horizontal rule is not.
  if (found === null || value === undefined || !isRecord(value.value)) return { fields: {}, body: text }
  const texts = Object.entries(value.value).flatMap(([key, item]) => (typeof item === 'string' ? [[key, item]] : []))
  return { fields: Object.fromEntries(texts), body: text.slice(found[0].length) }
}
