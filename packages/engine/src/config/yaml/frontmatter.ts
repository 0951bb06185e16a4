import { isMap } from '../problems/value-path.ts'
import { parseYaml } from './parse-yaml.ts'

export interface Frontmatter {
  /** Its plain texts. */
  readonly fields: Readonly<Record<string, string>>
  /** What follows it. */
  readonly body: string
}

const block = /^\uFEFF?---[ \t]*\r?\n(?<yaml>[\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/

/** The YAML between `---` lines at the head of a text, which is about the text and no part of it. */
export function frontmatterOf(text: string): Frontmatter {
  const found = block.exec(text)
  const value = found?.groups?.yaml === undefined ? undefined : parseYaml(found.groups.yaml)
  // A rule between two lines of text is no frontmatter: only a map is.
  if (found === null || value === undefined || !isMap(value.value)) return { fields: {}, body: text }
  const texts = Object.entries(value.value).flatMap(([key, item]) => (typeof item === 'string' ? [[key, item]] : []))
  return { fields: Object.fromEntries(texts), body: text.slice(found[0].length) }
}
