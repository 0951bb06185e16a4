// Models say a query in more than one way: in a fenced block, as JSON, or just so.

export interface SqlText {
  readonly sql: string
  readonly explanation: string
}

/** `null` where there is none. */
export function readSql(text: string): SqlText | null {
  return fenced(text) ?? asJson(text) ?? bare(text)
}

/** The block that says it is SQL, or the first one that looks like it. */
function fenced(text: string): SqlText | null {
  const blocks = [...text.matchAll(/```([^\n`]*)\n([\s\S]*?)(?:```|$)/g)]
  const isSql = (language: string) => /^\s*(?:sql|duckdb|postgres\w*)\b/i.test(language)
  const block =
    blocks.find(([, language = '']) => isSql(language)) ??
    blocks.find(([, language = '', code = '']) => language.trim() === '' && looksLikeSql(code))
  const sql = block?.[2]?.trim()
  if (block === undefined || sql === undefined || sql === '') return null
  return {
    sql,
    explanation: text
      .replace(block[0], '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  }
}

function asJson(text: string): SqlText | null {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start) return null
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1))
    if (typeof value !== 'object' || value === null || !('sql' in value) || typeof value.sql !== 'string') return null
    const explanation = 'explanation' in value && typeof value.explanation === 'string' ? value.explanation : ''
    return value.sql.trim() === '' ? null : { sql: value.sql.trim(), explanation }
  } catch {
    return null // braces in words, or in a query
  }
}

const statement = /^[ \t]*(?:select|with|from|summarize|describe|pivot|unpivot|values)\b[\s\S]*/im

const looksLikeSql = (text: string): boolean => statement.exec(text)?.index === 0 || /^\s*--/.test(text)

/** From a line that begins a statement to its semicolon, or to the next empty line. */
function bare(text: string): SqlText | null {
  const found = statement.exec(text)
  if (found === null) return null
  const [sql = ''] = /^[\s\S]*?(?:;|\n\s*\n|$(?![\s\S]))/.exec(found[0].trimEnd()) ?? []
  // One word of a sentence that begins a line is no query: those have a table or a star.
  if (!/\bfrom\b|\bvalues\b|\*|^\s*(?:summarize|describe)\b/i.test(sql)) return null
  const rest = text.slice(0, found.index) + found[0].slice(sql.length)
  return { sql: sql.trim(), explanation: rest.trim() }
}
